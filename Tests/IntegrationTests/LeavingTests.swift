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
    }
}
