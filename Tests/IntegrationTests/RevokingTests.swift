import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Revoking and leaving")
    struct RevokingTests {
        /// The connection is closed within a second; the rest is for a busy machine to show it.
        static let limit = Duration.seconds(4)

        @Test("a laptop that another one revokes is cut off, and refused from then on")
        func byLaptop() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Work")
                try world.agree()
                try work.press("devices", "revoke", "stolen", "--yes")
                try expectOut(world.laptops[2], world)
                #expect(try work.devices().contains { $0.name == "stolen" && $0.revoked })
                // The server goes on refusing a key that is readmitted and accepted.
                try work.press("devices", "readmit", "stolen")
                let accepted = try work.run("devices", "accept", "stolen", "--yes")
                let told = accepted.output + accepted.messages
                #expect(accepted.status == 0 && told.contains("the server refuses its key"), "\(told)")
                #expect(!told.contains("can read later changes"), "\(told)")
                #expect(told.contains("Then shut out the old key: focus devices revoke "), "\(told)")
            }
        }

        @Test("who leaves brings all it has, the server refuses its key, and the others see that it left")
        func leaving() throws {
            try World.with(["work", "home", "spare"]) { world in
                let (work, home, spare) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try work.press("start", "Report")
                try world.agree()
                let key = try #require(try spare.devices().first { $0.this }?.key)
                try spare.stopAgent()
                try spare.press("pause")
                let outcome = try spare.run("leave", "--yes")
                #expect(outcome.status == 0)
                #expect(!outcome.messages.contains("couldn't be told"), "\(outcome.messages)")
                #expect(try world.server.devices().contains { $0.id == key && $0.revoked != nil })
                for laptop in [work, home] {
                    try eventually("\(laptop.name) sees that spare left") {
                        try laptop.press("devices").contains("spare  left ")
                    }
                    #expect(try laptop.devices().contains { $0.name == "spare" && $0.revoked })
                    try eventually("\(laptop.name) has what spare pressed last") {
                        try laptop.statusText().contains(#""status":"paused""#)
                    }
                }
                let again = try work.run("devices", "revoke", "spare", "--yes")
                #expect(again.status == 3)
                #expect(again.messages == "focus: spare has left the group.\n")
                // It is in no group now, and can join again as a new device.
                #expect(try spare.press("devices").hasPrefix("spare  this laptop"))
                try spare.join(try home.invite())
                try spare.startAgent()
                try eventually("all see it again") {
                    try work.devices().contains { $0.name == "spare" && !$0.revoked }
                }
                try world.agree()
            }
        }

        /// Expects that the laptop is shut out at once, and that the others continue without it.
        private func expectOut(_ laptop: Laptop, _ world: World) throws {
            let took = try eventually("\(laptop.name) is told") {
                try laptop.agentStatus()?.contains("shut out of its group") == true
            }
            #expect(took < RevokingTests.limit)
            for words in [["sync"], ["invite"]] {
                let outcome = try laptop.start(words).wait()
                #expect(outcome.status == 5, "\(words)")
                #expect(outcome.messages.contains("shut out of its group"), "\(words)")
            }
            // It may press. The events stay on it, and it says why.
            let press = try laptop.run("label", "Alone")
            #expect(press.status == 0)
            for outcome in [
                press, try laptop.run("status"), try laptop.run("devices", "rename", laptop.name),
            ] {
                #expect(outcome.messages.contains("shut out of its group"), "\(outcome.messages)")
            }
            #expect(try laptop.run("status", "--format", "{label}").messages == "")
            #expect(try laptop.devices().first?.revoked == true)
            let others = Array(world.laptops.dropLast())
            try others[1].press("label", "Without it")
            let log = try world.agree(others)
            #expect(!log.contains { $0.contains("\"Alone\"") })
            #expect(try others[0].status().label == "Without it")
            #expect(try laptop.status().label == "Alone")
            // Once it is in no group, it says nothing of that any more.
            try laptop.stopAgent()
            try laptop.press("leave", "--yes")
            #expect(try laptop.run("status").messages == "")
        }
    }
}
