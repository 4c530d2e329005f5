import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Leaving")
    struct LeavingTests {
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
                // It is alone now, and can come back as somebody new.
                #expect(try spare.press("devices").hasPrefix("spare  this laptop"))
                try spare.join(try home.invite())
                try spare.startAgent()
                try eventually("all see it again") {
                    try work.devices().contains { $0.name == "spare" && !$0.revoked }
                }
                try world.agree()
            }
        }

        @Test(
            "the group's key changes without who left, and its agent takes nothing for having been shut out")
        func key() throws {
            try World.with(["work", "home", "spare"]) { world in
                let (work, home, spare) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try work.press("start", "Before")
                try world.agree()
                try spare.press("leave", "--yes")
                for laptop in [work, home] {
                    try eventually("\(laptop.name) has the new key") {
                        text(of: laptop.agentLog).contains("spare can't read what is changed from now on.")
                    }
                }
                try home.press("label", "After")
                try world.agree([work, home])
                #expect(try spare.run("status").messages == "")
                #expect(try spare.press("start", "Alone").contains("Alone"))
                #expect(try !spare.press("export").contains("After"))
            }
        }

        @Test("where the server can't be told, leaving says what the others have to do")
        func cutOff() throws {
            try World.with(["work", "spare"]) { world in
                let spare = world.laptops[1]
                try world.laptops[0].press("start", "Report")
                try world.agree()
                try world.server.stop()
                let outcome = try spare.run("leave", "--yes")
                #expect(outcome.status == 0)
                #expect(
                    outcome.messages.contains(
                        "others go on listing this laptop until one of them shuts it out: focus devices revoke spare"
                    ), "\(outcome.messages)")
                #expect(try spare.press("devices").hasPrefix("spare  this laptop"))
            }
        }
    }
}
