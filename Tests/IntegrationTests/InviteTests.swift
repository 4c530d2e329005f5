import FocusSeal
import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Invites")
    struct InviteTests {
        @Test("an invite lets one laptop in, and no second one")
        func reused() throws {
            try World.with(["work"]) { world in
                let invite = try world.laptops[0].invite()
                try world.laptop("home").join(invite)
                let outcome = try world.laptop("third").run("join", invite)
                #expect(outcome.status == 5)
                #expect(outcome.messages.contains("used already"))
                #expect(try world.server.devices().count == 2)
            }
        }

        @Test("of several addresses the first that answers is taken, on joining and ever after")
        func addresses() throws {
            try World.with { world in
                try world.server.start()
                // At one address nobody listens, and the name of another can't be resolved.
                let addresses = [
                    "127.0.0.1:\(try freePort())", "nowhere.invalid", world.server.address,
                    "127.0.0.1:\(try freePort())",
                ]
                try world.server.done(["init"] + addresses.flatMap { ["--address", $0] })
                let work = try world.join("work")
                try work.press("start", "Work")
                // An invite by a laptop names the same addresses.
                let home = try world.join("home")
                try world.agree()
                #expect(try Invite(try work.invite()).addresses == addresses)

                // After the server's addresses have changed, a laptop that joins again learns the new ones.
                try world.server.done(["init", "--address", world.server.address])
                try home.join(try world.server.invite())
                #expect(try Invite(try home.invite()).addresses == [world.server.address])
                #expect(try home.status().label == "Work")
                try work.press("pause")
                try world.agree()
                #expect(try world.server.devices().count == 2)
            }
        }
    }
}
