import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Revoking")
    struct RevokingTests {
        /// The second within which a connection is closed, and what a busy machine may take to show it.
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
            }
        }

        @Test("a laptop that the server revokes is cut off, and refused from then on")
        func byServer() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let stolen = world.laptops[2]
                try world.laptops[0].press("start", "Work")
                try world.agree()
                let key = try #require(try stolen.devices().first { $0.this }?.key)
                let outcome = try world.server.run(["devices", "revoke", String(key.prefix(12))])
                #expect(outcome.status == 0, "\(outcome.messages)")
                try expectOut(stolen, world)
                #expect(try world.server.devices().contains { $0.id == key && $0.revoked != nil })
            }
        }

        @Test(
            "what is pressed after a laptop was shut out is sealed under a new key, and who joins later reads everything"
        )
        func newKey() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home, stolen) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try work.press("start", "Before")
                let before = try world.agree()
                try work.press("devices", "revoke", "stolen", "--yes")
                try eventually("home has the new key") {
                    try home.press("label", "After")
                    return try epochs(in: world.agree([work, home])).count == 2
                }
                let late = world.laptop("late")
                try late.join(try home.invite())
                try late.startAgent()
                try late.press("label", "Later")
                let log = try world.agree([work, home, late])
                for text in ["Before", "After", "Later"] { #expect(log.contains { $0.contains(text) }) }
                #expect(epochs(in: log).count == 2)
                // Whoever was let in with the newest key needs no other.
                #expect(try !late.run("doctor").output.contains("can't be read"))
                // The one that was shut out has nothing of it, and can't get it.
                #expect(try stolen.run("sync").status == 5)
                let kept = try stolen.press("export").split(separator: "\n").map(String.init)
                #expect(Set(kept).isSuperset(of: before))
                #expect(!kept.contains { $0.contains("After") || $0.contains("Later") })
            }
        }

        /// The epochs that the events of a log belong to.
        private func epochs(in log: [String]) -> Set<Substring> {
            Set(log.compactMap { $0.firstMatch(of: /"epoch":"([0-9a-f]{16})"/)?.1 })
        }

        @Test("a laptop is revoked once, and makes way for another of its name")
        func sameName() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("devices", "revoke", "stolen", "--yes")
                let again = try work.run("devices", "revoke", "stolen", "--yes")
                #expect(again.status == 3)
                #expect(again.messages == "focus: stolen was shut out before.\n")
                try home.press("devices", "rename", "stolen")
                try world.agree([work, home])
                try work.press("devices", "revoke", "stolen", "--yes")
                #expect(try work.devices().filter { $0.revoked }.count == 2)
            }
        }

        @Test("a laptop that was shut out and has left may join again, as another one")
        func joiningAgain() throws {
            try World.with(["work", "lost"]) { world in
                let (work, lost) = (world.laptops[0], world.laptops[1])
                try work.press("devices", "revoke", "lost", "--yes")
                try eventually("it is told") {
                    try lost.agentStatus()?.contains("removed from its group") == true
                }
                try lost.stopAgent()
                try lost.press("leave", "--yes")
                try lost.join(try work.invite())
                try lost.startAgent()
                try lost.press("start", "Found")
                try world.agree()
                #expect(try work.status().label == "Found")
                #expect(
                    try work.devices().filter { $0.name == "lost" }.map(\.revoked).sorted { !$0 && $1 } == [
                        false, true,
                    ])
            }
        }

        @Test(
            "a laptop that left for another group of the same server can be shut out, and its open invite lets nobody in"
        )
        func elsewhere() throws {
            try World.with(["work", "home", "gamma"]) { world in
                let (work, home, gamma) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try work.press("start", "Before")
                try world.agree()
                let open = try gamma.invite()
                try gamma.stopAgent()
                // The server doesn't hear of it.
                _ = try world.server.stop()
                try gamma.press("leave", "--yes")
                try world.server.start()
                let other = world.laptop("other")
                try other.join(try world.server.invite())
                try other.startAgent()
                try gamma.join(try other.invite())
                try gamma.startAgent()
                let outcome = try work.run("devices", "revoke", "gamma", "--yes")
                #expect(outcome.status == 0, "\(outcome.messages)")
                try eventually("the key has changed") {
                    try work.press("label", "After")
                    return try epochs(in: world.agree([work, home])).count == 2
                }
                let late = try world.laptop("late").start(["join", "-"], input: open).wait()
                #expect(late.status == 5, "\(late.messages)")
                // Where it is now nobody minds.
                try gamma.press("start", "Elsewhere")
                try world.agree([other, gamma])
            }
        }

        @Test("a laptop that left before it heard that it was shut out joins another group")
        func unheard() throws {
            try World.with(["work", "gamma"]) { world in
                let (work, gamma) = (world.laptops[0], world.laptops[1])
                try gamma.stopAgent()
                try work.press("devices", "revoke", "gamma", "--yes")
                try gamma.press("leave", "--yes")
                let other = world.laptop("other")
                try other.join(try world.server.invite())
                try other.startAgent()
                try gamma.join(try other.invite())
                try gamma.startAgent()
                try gamma.press("start", "Elsewhere")
                try world.agree([other, gamma])
            }
        }

        @Test("a revocation holds where the server can't be reached, and is told to it later")
        func unreachable() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home, stolen) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try world.agree()
                _ = try world.server.stop()
                let outcome = try work.run("devices", "revoke", "stolen", "--yes")
                #expect(outcome.status == 4)
                #expect(outcome.messages.contains("stolen: shut out on this laptop"), "\(outcome.messages)")
                #expect(try work.devices().contains { $0.name == "stolen" && $0.revoked })
                try world.server.start()
                try eventually("it is told") {
                    try stolen.agentStatus()?.contains("removed from its group") == true
                }
                try eventually("home knows, and from whom") {
                    try home.press("devices").contains("shut out by work")
                }
            }
        }

        @Test(
            "a revocation by the server's operator is taken back by a laptop, and the laptop joins as another one"
        )
        func readmitted() throws {
            try World.with(["work", "home", "lost"]) { world in
                let (work, home, lost) = (world.laptops[0], world.laptops[1], world.laptops[2])
                try world.agree()
                let key = try #require(try lost.devices().first { $0.this }?.key)
                _ = try world.server.run(["devices", "revoke", String(key.prefix(12))])
                try eventually("home hears of it") {
                    try home.press("devices").contains("shut out by the server")
                }
                try work.press("devices", "readmit", "lost")
                try eventually("home hears of that too") {
                    try home.press("devices").contains("taken back, may join anew")
                }
                try lost.stopAgent()
                try lost.press("leave", "--yes")
                try lost.join(try work.invite())
                try lost.startAgent()
                try lost.press("start", "Found")
                try world.agree()
            }
        }

        @Test(
            "a laptop that shows itself only after another was shut out is named everywhere, waits, and reads on once it is accepted"
        )
        func sleeper() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Before")
                try world.agree()
                let sleeper = try world.sleeper("sleeper")
                let key = try #require(try sleeper.devices().first { $0.this }?.key)
                let digits = key.prefix(8)
                try work.press("sync")
                #expect(
                    try work.press("devices").contains(
                        "\n\(digits)  listed by the server, named by no laptop\n"))
                let revoking = try work.run("devices", "revoke", "stolen", "--only", "--yes")
                #expect(
                    revoking.output
                        == "stolen is out: the server refuses it from now on, and what is changed from now on is sealed under a new key, which it doesn't get.\n"
                )
                try eventually("home says who can't read on") {
                    text(of: home.agentLog).contains(
                        "stolen can't read what is changed from now on.")
                }
                try work.press("label", "After")
                try sleeper.press("sync")
                for laptop in [work, home] {
                    try eventually("\(laptop.name) shows who waits") {
                        try laptop.press("devices").contains("\nsleeper  waiting to be accepted, last used")
                    }
                    try eventually("\(laptop.name) says it once") {
                        text(of: laptop.agentLog).contains(
                            "sleeper (\(digits)) came with an old key of the group, from before a laptop was shut out, and isn't given the new one. If you know whose it is: focus devices accept NAME. If not: focus devices revoke NAME."
                        )
                    }
                    #expect(try laptop.run("status").messages.contains("A laptop is waiting to be accepted"))
                }
                try sleeper.press("sync")
                #expect(try !sleeper.press("export").contains("After"))
                #expect(try sleeper.run("status").messages.contains("can't be read yet"))

                let accepting = try work.run("devices", "accept", "sleeper", "--yes")
                #expect(accepting.output == "sleeper is in: it can read what is changed from now on.\n")
                try eventually("home says who is new") {
                    text(of: home.agentLog).contains(
                        "sleeper (\(digits)) got the group's key for the first time, and can read what is changed from now on. If you know whose laptop that is, all is well. If not: focus devices revoke NAME."
                    )
                }
                for laptop in [work, home] {
                    #expect(
                        try laptop.press("devices").contains(
                            "\nsleeper  new, got the group's key just now, last used"))
                    #expect(try laptop.run("status").messages == "")
                }
                try sleeper.press("sync")
                #expect(try sleeper.press("export").contains("After"))
            }
        }

        @Test(
            "whom the server lists and no laptop has named is shut out with a laptop, and refused from then on"
        )
        func along() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Before")
                try world.agree()
                let unnamed = try world.sleeper("unnamed")
                let key = try #require(try unnamed.devices().first { $0.this }?.key)
                try work.press("sync")
                #expect(
                    try work.press("devices").contains(
                        "\n\(key.prefix(8))  listed by the server, named by no laptop\n"))

                let revoking = try work.run("devices", "revoke", "stolen", "--yes")
                #expect(revoking.status == 0, "\(revoking.messages)")
                #expect(revoking.output.contains("stolen, \(key.prefix(8)) are out"))
                #expect(try world.server.devices().contains { $0.id == key && $0.revoked != nil })
                #expect(try unnamed.run("sync").status == 5)
                // It is in the log, which every laptop goes by, whatever a server says.
                try work.press("label", "After")
                try world.agree([work, home])
                #expect(try home.devices().contains { $0.key == key && $0.revoked })
                #expect(try !unnamed.press("export").contains("After"))
            }
        }

        @Test("a laptop is accepted where the server can't be reached, and gets the key once it can")
        func acceptedOffline() throws {
            try World.with(["work", "stolen"]) { world in
                let work = world.laptops[0]
                try work.press("start", "Before")
                try world.agree()
                let sleeper = try world.sleeper("sleeper")
                try work.press("devices", "revoke", "stolen", "--only", "--yes")
                try work.press("label", "After")
                try sleeper.press("sync")
                try eventually("work shows who waits") {
                    try work.press("devices").contains("\nsleeper  waiting to be accepted")
                }
                _ = try world.server.stop()
                let accepting = try work.run("devices", "accept", "sleeper", "--yes")
                #expect(accepting.status == 4)
                #expect(
                    accepting.messages.contains(
                        "sleeper: accepted on this laptop; it gets the group's key with the next sync."),
                    "\(accepting.messages)")
                try world.server.start()
                try eventually("it reads on") {
                    try sleeper.run("sync").status == 0 && sleeper.press("export").contains("After")
                }
            }
        }

        @Test("revoking where another laptop was faster comes to the same")
        func twice() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try world.agree()
                home.freezeAgent()
                try work.press("devices", "revoke", "stolen", "--yes")
                try home.press("devices", "revoke", "stolen", "--yes")
                #expect(try home.devices().contains { $0.name == "stolen" && $0.revoked })
            }
        }

        @Test("a laptop without an agent is told by the press that finds it out")
        func withoutAgent() throws {
            try World.with(["work", "home", "stolen"]) { world in
                let stolen = world.laptops[2]
                try world.agree()
                try stolen.stopAgent()
                try world.laptops[0].press("devices", "revoke", "stolen", "--yes")
                #expect(try !stolen.run("status").messages.contains("removed"))
                let press = try stolen.run("start", "Alone")
                #expect(press.status == 0)
                #expect(press.messages.contains("removed from its group"), "\(press.messages)")
            }
        }

        /// Expects that the laptop is out, right now, and that the others go on without it.
        private func expectOut(_ laptop: Laptop, _ world: World) throws {
            let took = try eventually("\(laptop.name) is told") {
                try laptop.agentStatus()?.contains("removed from its group") == true
            }
            #expect(took < RevokingTests.limit)
            for words in [["sync"], ["invite"]] {
                let outcome = try laptop.start(words).wait()
                #expect(outcome.status == 5, "\(words)")
                #expect(outcome.messages.contains("removed from its group"), "\(words)")
            }
            // It may press; that stays with it, and it says why.
            let press = try laptop.run("label", "Alone")
            #expect(press.status == 0)
            for outcome in [
                press, try laptop.run("status"), try laptop.run("devices", "rename", laptop.name),
            ] {
                #expect(outcome.messages.contains("removed from its group"), "\(outcome.messages)")
            }
            #expect(try laptop.run("status", "--format", "{label}").messages == "")
            #expect(try laptop.devices().first?.revoked == true)
            let others = Array(world.laptops.dropLast())
            try others[1].press("label", "Without it")
            let log = try world.agree(others)
            #expect(!log.contains { $0.contains("\"Alone\"") })
            #expect(try others[0].status().label == "Without it")
            #expect(try laptop.status().label == "Alone")
            // Elsewhere it is nobody's business.
            try laptop.stopAgent()
            try laptop.press("leave", "--yes")
            #expect(try laptop.run("status").messages == "")
        }
    }
}
