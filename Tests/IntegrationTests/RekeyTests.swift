import FocusCore
import FocusText
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("A server that changes its key")
    struct RekeyTests {
        /// The ids of the devices that haven't been told of the next key.
        private func untold(_ server: Server) throws -> [String] {
            let document = try JSON(parsing: server.runSuccessfully(["rekey", "--json"]).output.utf8)
            guard case .array(let ids)? = document["untold"] else { throw Unmet("no list: \(document)") }
            return ids.compactMap(\.text)
        }

        private func id(_ laptop: Laptop) throws -> String {
            guard let key = try laptop.devices().first(where: \.this)?.key else { throw Unmet("no key") }
            return key
        }

        /// Announces the next key, and waits until all laptops but these are told.
        private func announce(_ server: Server, but laptops: [Laptop]) throws {
            try server.runSuccessfully(["rekey"])
            let expected = Set(try laptops.map(id))
            try eventually("all but \(expected) are told") { try Set(untold(server)) == expected }
        }

        @Test(
            "laptops that were told take the new key without a word; one that missed it joins again, and loses nothing"
        )
        func changingOver() throws {
            try World.with(["work", "told", "missed"]) { world in
                let (work, told, missed) = (world.laptops[0], world.laptops[1], world.laptops[2])
                let server = world.server
                try work.press("start", "Work")
                try world.agree()
                try missed.stopAgent()
                try announce(server, but: [missed])
                let former = try server.key()

                // A laptop that knows the next key goes offline. An invite from before the change is used
                // after it.
                try told.stopAgent()
                let invite = try work.invite()
                let refused = try server.run(["rekey", "finish"])
                #expect(refused.status == 2)
                let name = try id(missed).prefix(16)
                #expect(refused.messages.contains(name), "\(refused.messages)")
                #expect(try server.key() == former)
                try server.runSuccessfully(["rekey", "finish", "--yes"])
                #expect(try server.key() != former)

                // The server continues, and the connected laptop sees the new key.
                try eventually("the server shows the new key") {
                    try !server.logLines("event=key-changed").isEmpty
                }
                try work.press("label", "After the change")
                try world.agree([work])
                try told.startAgent()
                try told.press("add", "3m")
                try world.agree([work, told])
                let new = world.laptop("new")
                try new.join(invite)
                try new.startAgent()

                // The laptop that missed the change keeps its events, is told what to do, and joins again.
                try missed.press("label", "Pressed while away")
                let outcome = try missed.run("sync")
                #expect(outcome.status == 5)
                #expect(outcome.messages.contains("changed its key"), "\(outcome.messages)")
                #expect(outcome.messages.contains("join again with a new invite"))
                try missed.join(try told.invite())
                try missed.startAgent()
                let log = try world.agree()
                #expect(log.contains { $0.contains("Pressed while away") })
                #expect(log.contains { $0.contains("After the change") })

                // The former key is no longer used.
                try server.stop()
                try server.start()
                try work.press("pause")
                try world.agree()
                #expect(try server.run(["status"]).messages == "")
            }
        }
    }
}
