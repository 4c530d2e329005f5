import IntegrationSupport
import Testing

extension IntegrationTests {
    @Suite("Joining with a history")
    struct JoiningTests {
        /// Records two sessions, one of which is still open.
        private func record(_ laptop: Laptop) throws {
            try laptop.press("start", "First", "--ago", "9m")
            try laptop.press("stop", "--ago", "5m")
            try laptop.press("start", "Second", "--ago", "2m")
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
                // The open session continues.
                let log = try world.agree()
                #expect(log.count { $0.contains("\"action\":\"record\"") } == 1)
                let shown = try work.status()
                #expect(shown.status == "running" && shown.label == "Second")
            }
        }
    }
}
