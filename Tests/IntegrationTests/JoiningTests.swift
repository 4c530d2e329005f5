import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Joining with a history")
    struct JoiningTests {
        @Test("a laptop used alone brings its history along, and takes the group's settings and session")
        func alone() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                try work.press("set", "workLength=40m")
                try work.press("start", "Together")
                let before = try world.agree()

                let alone = world.laptop("alone")
                try alone.press("set", "workLength=10m")
                try alone.press("start", "First", "--ago", "9m")
                try alone.press("stop", "--ago", "5m")
                try alone.press("start", "Second", "--ago", "2m")
                try alone.join(try work.invite())
                try alone.startAgent()

                let log = try world.agree()
                #expect(Set(log).isSuperset(of: before))
                let records = log.filter { $0.contains("\"action\":\"record\"") }
                #expect(records.count == 2)
                #expect(records.contains { $0.contains("\"label\":\"First\"") })
                #expect(records.contains { $0.contains("\"label\":\"Second\"") })
                for laptop in world.laptops {
                    let status = try laptop.status()
                    #expect(status.settings["workLength"] == 2400)
                    #expect(status.label == "Together")
                    #expect(status.sideRuns == [])
                    let history = try laptop.press("log", "--json")
                    #expect(history.contains("First") && history.contains("Second"))
                }
            }
        }

        /// Two sessions, of which one runs on.
        private func record(_ laptop: Laptop) throws {
            try laptop.press("start", "First", "--ago", "9m")
            try laptop.press("stop", "--ago", "5m")
            try laptop.press("start", "Second", "--ago", "2m")
        }

        @Test("on a terminal it asks first: a no leaves the history behind, and it can be taken in later")
        func no() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let alone = world.laptop("alone")
                try record(alone)
                let terminal = try alone.terminal(columns: 240)
                try terminal.shell("focus() { $FOCUS \"$@\"; }; focus join \(try work.invite())")
                try terminal.shows("Recorded here alone: 6m of focus time in 2 sessions, since ")
                try terminal.shows(
                    "The session that is open now is part of it. It goes on, unless the group has one.")
                try terminal.shows("[Y/n]")
                #expect(try alone.status().group == nil, "nothing has been done yet")
                try terminal.shell("n")
                try terminal.shows("This laptop is in the group now, as ")
                try terminal.shows(
                    "What was recorded here alone was left behind: 6m of focus time in 2 sessions")
                try alone.startAgent()
                #expect(try !world.agree().contains { $0.contains("\"action\":\"record\"") })
                #expect(try alone.status().status == "stopped")

                let told = try terminal.rows.first { $0.contains("FOCUS_HOME=") }
                try terminal.shell("clear; \(try #require(told))")
                try terminal.shows("That is another log: 2 records of its history were added.")
                let log = try world.agree()
                #expect(log.count { $0.contains("\"action\":\"record\"") } == 2)
                #expect(try work.press("log").contains("First"))
            }
        }

        @Test("on a terminal a plain Enter takes the history along, and what breaks off costs nothing")
        func yes() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let alone = world.laptop("alone")
                try record(alone)
                let before = try alone.log()
                let terminal = try alone.terminal(columns: 240)
                let line = "$FOCUS join \(try work.invite()); echo exit$?"
                for (key, status) in [("C-d", 3), ("C-c", 130)] {
                    try terminal.shell("clear; \(line)")
                    try terminal.shows("[Y/n]")
                    try terminal.press(key)
                    if status == 3 {
                        try terminal.shows("focus: Nothing was changed: this laptop is still on its own.")
                        try terminal.shows("exit3")
                    } else {
                        try terminal.until("the shell is back") { $0.contains { $0 == "$" || $0 == "$ " } }
                    }
                    #expect(try alone.log() == before)
                    #expect(try alone.status().group == nil)
                }
                try terminal.shell("clear; \(line)")
                try terminal.shows("[Y/n]")
                try terminal.press("Enter")
                try terminal.shows("What was recorded here alone came along: 6m of focus time in 2 sessions")
                try terminal.shows("exit0")
                try alone.startAgent()
                // The one that is open goes on.
                let log = try world.agree()
                #expect(log.count { $0.contains("\"action\":\"record\"") } == 1)
                let shown = try work.status()
                #expect(shown.status == "running" && shown.label == "Second")
            }
        }

        @Test("a name that another laptop has already is said, with what gives this one another")
        func takenName() throws {
            try World.with(["work"]) { world in
                let invite = try world.laptops[0].invite()
                let outcome = try world.laptop("second").start(
                    ["join", "-", "--name", "work"], input: invite
                ).wait()
                #expect(outcome.status == 0)
                #expect(outcome.messages.contains("Another laptop of the group is called work too."))
                #expect(outcome.messages.contains("focus devices rename"))
            }
        }

        @Test("without a terminal the history stays behind, unless it is to come along")
        func script() throws {
            try World.with(["work"]) { world in
                let work = world.laptops[0]
                let options = [[], ["--take-along"], ["--leave-behind"]]
                for (number, option) in options.enumerated() {
                    let laptop = world.laptop("laptop\(number)")
                    try record(laptop)
                    let invite = try work.invite()
                    let outcome = try laptop.start(["join", "-"] + option, input: invite).wait()
                    #expect(outcome.status == 0)
                    let word = option == ["--take-along"] ? "came along" : "was left behind"
                    #expect(
                        outcome.messages.contains("What was recorded here alone \(word): 6m of focus time"))
                    try laptop.startAgent()
                }
                // Where nothing was recorded it changes nothing.
                let fresh = world.laptop("fresh")
                let outcome = try fresh.run(
                    "join", try work.invite(), "--leave-behind", "--name", "fresh")
                #expect(outcome.status == 0)
                #expect(outcome.messages == "")
                try fresh.startAgent()
                // The open session of the one that took its history along goes on.
                #expect(try world.agree().count { $0.contains("\"action\":\"record\"") } == 1)
            }
        }
    }
}
