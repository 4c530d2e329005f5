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
                try world.server.runSuccessfully(["init"] + addresses.flatMap { ["--address", $0] })
                let work = try world.join("work")
                try work.press("start", "Work")
                // An invite by a laptop names the same addresses.
                let home = try world.join("home")
                try world.agree()
                // A running server announces them a little later than its own invites name them.
                try eventually("work is told of the addresses") {
                    try work.run("doctor", "--json").output.contains(
                        "Its addresses: \(addresses.joined(separator: ", "))")
                }
                #expect(try Invite(try work.invite()).addresses == addresses)

                // After the server's addresses have changed, a laptop that joins again learns the new ones.
                try world.server.runSuccessfully(["init", "--address", world.server.address])
                try home.join(try world.server.invite())
                try eventually("home is told of the new addresses") {
                    try home.run("doctor", "--json").output.contains(
                        "Its addresses: \(world.server.address).")
                }
                #expect(try Invite(try home.invite()).addresses == [world.server.address])
                #expect(try home.status().label == "Work")
                try work.press("pause")
                try world.agree()
                #expect(try world.server.devices().count == 2)
            }
        }

        @Test("if the server has a page for browsers, an invite comes with a link to it")
        func links() throws {
            try World.with { world in
                try world.server.set("web-address = https://focus.example\n")
                try world.server.start()
                let work = try world.join("work")
                let outcome = try work.run("invite")
                let invite = outcome.output.split(separator: "\n").last ?? ""
                #expect(outcome.messages.contains("in a browser: https://focus.example/#\(invite)\n"))
                try world.laptop("home").join(String(invite))
                #expect(try !work.run("doctor", "--json").output.contains("https:"))
            }
        }

        @Test(
            "a laptop that joins by the name of one that isn't connected may shut that out as its former self"
        )
        func formerSelf() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let (lost, again) = (world.laptop("lost"), world.laptop("again"))
                try lost.join(try work.invite())
                let terminal = try again.terminal(columns: 240)
                try terminal.shell("$FOCUS join \(try work.invite()) --name lost; echo exit$?")
                try terminal.shows("Shut the former lost (")
                try terminal.press("y", "Enter")
                try terminal.shows("is shut out: the server refuses it")
                try terminal.shows("exit0")
                #expect(try lost.run("sync").status == 5)

                // An option that makes the other choice keeps the command from waiting for an answer.
                try world.laptop("old").join(try work.invite())
                let unasked = try world.laptop("new").terminal(columns: 240)
                try unasked.shell("$FOCUS join \(try work.invite()) --name old --leave-behind; echo exit$?")
                try unasked.shows("If old (")
                try unasked.shows("exit0")
                #expect(try again.devices().count { $0.name == "lost" && !$0.revoked } == 1)
            }
        }

        /// Records two sessions, one of which is still open.
        private func record(_ laptop: Laptop) throws {
            try laptop.press("start", "First", "--ago", "9m")
            try laptop.press("stop", "--ago", "5m")
            try laptop.press("start", "Second", "--ago", "2m")
        }

        @Test("on a terminal a plain Enter takes the history along, and what breaks off costs nothing")
        func takenAlong() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let alone = world.laptop("alone")
                try record(alone)
                let before = try alone.log()
                let terminal = try alone.terminal(columns: 240)
                let line = "$FOCUS join \(try work.invite()); echo exit$?"
                for (key, status) in [("C-d", 3), ("C-c", 130)] {
                    try terminal.clear()
                    try terminal.shell(line)
                    try terminal.shows("[Y/n]")
                    try terminal.press(key)
                    if status == 3 {
                        try terminal.shows("focus: Nothing was changed: this laptop is still in no group.")
                        try terminal.shows("exit3")
                    } else {
                        try terminal.until("the shell is back") { $0.contains { $0 == "$" || $0 == "$ " } }
                    }
                    #expect(try alone.log() == before)
                    #expect(try alone.status().group == nil)
                }
                try terminal.clear()
                try terminal.shell(line)
                try terminal.shows("[Y/n]")
                try terminal.press("Enter")
                try terminal.shows(
                    "What was recorded here without a group came along: 6m of focus time in 2 sessions")
                try terminal.shows("exit0")
                try alone.startAgent()
                // The open session continues.
                let log = try world.agree()
                #expect(log.count { $0.contains("\"action\":\"record\"") } == 1)
                let shown = try work.status()
                #expect(shown.status == "running" && shown.label == "Second")
            }
        }
    }
}
