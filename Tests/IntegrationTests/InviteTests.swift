import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import IntegrationSupport
import TestSupport
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

        @Test("an invite of the server brings one group, and no second one")
        func reusedOfServer() throws {
            try World.with { world in
                try world.server.start()
                let invite = try world.server.invite()
                try world.laptop("work").join(invite)
                let outcome = try world.laptop("home").run("join", invite)
                #expect(outcome.status == 5)
                #expect(outcome.messages.contains("used already"))
            }
        }

        @Test("of several addresses the first that answers is taken, on joining and ever after")
        func addresses() throws {
            try World.with { world in
                try world.server.start()
                // Nobody listens at one, another one's name isn't known.
                let addresses = [
                    "127.0.0.1:\(try freePort())", "nowhere.invalid", world.server.address,
                    "127.0.0.1:\(try freePort())",
                ]
                try world.server.done(["init"] + addresses.flatMap { ["--address", $0] })
                let work = try world.join("work")
                try work.press("start", "Work")
                // An invite that a laptop makes has them, too.
                let home = try world.join("home")
                try world.agree()
                #expect(try Invite(try work.invite()).addresses == addresses)

                // The server's addresses change: who joins again takes them.
                try world.server.done(["init", "--address", world.server.address])
                try home.join(try world.server.invite())
                #expect(try Invite(try home.invite()).addresses == [world.server.address])
                #expect(try home.status().label == "Work")
                try work.press("pause")
                try world.agree()
                #expect(try world.server.devices().count == 2)
            }
        }

        @Test("an invite that has expired lets nobody in")
        func expired() throws {
            try World.with(["work"]) { world in
                let invites = [try world.laptops[0].invite(), try world.server.invite("--expires", "1m")]
                // The server's clock goes on faster than waiting would.
                try world.server.stop()
                try world.server.start(clock: WrongClock("+20m"))
                for invite in invites {
                    let outcome = try world.laptop("late").run("join", invite)
                    #expect(outcome.status == 5)
                    #expect(outcome.messages.contains("has expired"), "\(outcome.messages)")
                }
            }
        }

        @Test("a mistyped invite is noticed before anybody is asked")
        func mistyped() throws {
            try World.with { world in
                try world.server.start()
                let invite = Array(try world.server.invite())
                try world.server.stop()
                let laptop = world.laptop("work")
                for place in [invite.count / 3, invite.count / 2, invite.count - 1] {
                    var typed = invite
                    typed[place] = typed[place] == "a" ? "b" : "a"
                    let outcome = try laptop.run("join", String(typed))
                    #expect(outcome.status == 1)
                    #expect(outcome.messages.contains("mistyped"), "\(outcome.messages)")
                }
                #expect(try laptop.run("join", "what").status == 1)
            }
        }

        @Test("a laptop that didn't hear the server's answer uses the invite again")
        func lostAnswer() throws {
            try World.with(["work"]) { world in
                let text = try world.laptops[0].invite()
                let home = world.laptop("home")
                let token = try Invite(text).secret.token().bytes.exposed()
                // From here on the laptop asks with the key that it has for this invite.
                try world.server.stop()
                #expect(try home.run("join", text).status != 0)
                try world.server.start()
                do {
                    let client = try TestClient(
                        try home.identity(), to: world.server,
                        saying: [
                            .hello(
                                Hello(
                                    versions: ProtocolVersion.spoken, purpose: .enrol, sent: 0,
                                    program: "a test")),
                            .enrol(Enrol(token: token, kind: .join)),
                        ])
                    _ = try client.peer.next("enrolled") {
                        if case .enrolled(let answer) = $0 { answer } else { nil }
                    }
                }
                try home.join(text)
                try home.startAgent()
                try world.agree()
                // Since it has connected, the invite is gone.
                #expect(try home.run("join", text).status == 5)
                #expect(try world.server.devices().count == 2)
            }
        }
    }
}
