import Foundation
import Glibc
import IntegrationSupport
import Testing

extension LaptopTests {
    @Suite("The full-screen view in a terminal")
    struct FullScreenTests {
        @Test("it works at once with nothing set up, and shows what is pressed there and elsewhere")
        func firstRun() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                let terminal = try laptop.terminal()
                try terminal.view()
                try terminal.shows("Only on this laptop. 5, then S shares it, or J joins your others")
                try terminal.shows("Work (stopped)")
                try terminal.press("l")
                try terminal.shows("Start:")
                try terminal.type("Plan über 日本")
                try terminal.press("Enter")
                try terminal.shows("space Pause")
                #expect(try laptop.status().label == "Plan über 日本")
                try terminal.press("+")
                try eventually("a minute more") { try laptop.status().remainingMs > 1_500_000 }
                // By a command in another process, without an agent.
                try laptop.press("pause")
                try terminal.shows("Work paused")
                try waitUntilPressesAreAccepted()
                try terminal.press("Space")
                try terminal.shows("space Pause")
                #expect(try laptop.status().status == "running")
                try terminal.press("q")
                try terminal.givesBack()
                #expect(try laptop.status().status == "running", "the session goes on")
            }
        }

        @Test("it comes back where it was after q and after SIGKILL, half-typed fields and all")
        func comingBack() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                for number in 1...20 {
                    try laptop.press(
                        "log", "add", "Task\(number)", "--from", "2025-11-20 \(number):00", "--for", "30m")
                }
                let terminal = try laptop.terminal(rows: 14, columns: 60)
                try terminal.view()
                try terminal.shows("Timer")
                try terminal.press("2", "G", "Up", "Up", "Up")
                try terminal.until("the history is scrolled to its end") {
                    $0.contains { $0.hasSuffix("Task1") } && $0.dropFirst(2).first?.hasSuffix("^") == true
                }
                let scrolled = try terminal.rows
                try terminal.press("q")
                try terminal.givesBack()
                try terminal.clear()
                try terminal.shell("$FOCUS")
                try terminal.until("the history as it was left:\n\(scrolled)") { $0 == scrolled }
                try terminal.press("4", "Down", "Enter", "BSpace")
                try terminal.type("7m3")
                try terminal.shows("Short break                      57m3")
                try terminal.kills()
                try terminal.view()
                try terminal.shows("Short break                      57m3")
                try terminal.type("0s")
                try terminal.press("Enter")
                try eventually("the setting is changed") {
                    try laptop.status().settings["shortBreakLength"] == 57 * 60 + 30
                }
                try terminal.press("G", "Up", "Up", "Up", "Enter")
                try terminal.shows("Time away during work            off")
                #expect(try laptop.press("set", "idle") == "idle=off\n")
                try terminal.press("l")
                try terminal.type("Half a lab")
                try terminal.shows("Start: Half a lab")
                try terminal.press("C-c")
                try terminal.givesBack()
                try terminal.view()
                try terminal.shows("Start: Half a lab")
            }
        }

        @Test("the bell rings as a phase ends, where sound is on and nothing else has made one")
        func bell() throws {
            try World.with { world in
                func rings(_ laptop: Laptop) throws -> Bool {
                    try laptop.press("set", "workLength=3s")
                    let terminal = try laptop.terminal()
                    try terminal.view()
                    try terminal.shows("Work (stopped)")
                    try terminal.press("Space")
                    try terminal.shows("Break")
                    guard laptop.agent != nil else { return try terminal.hasRung }
                    // The agent rings the bell only after no program has played the sound.
                    try eventually("the agent has made a sound") {
                        if FileManager.default.fileExists(atPath: "\(laptop.home)/played") { return true }
                        return try terminal.hasRung
                    }
                    return try terminal.hasRung
                }
                let plain = world.laptop("plain")
                #expect(try rings(plain))
                let silent = world.laptop("silent")
                try silent.press("set", "sound=off")
                #expect(try !rings(silent))
                // With an agent: first one that can't play the sound, then one that can.
                let bare = world.laptop("bare")
                try bare.startAgent(until: nil)
                #expect(try rings(bare))
                let desktop = world.laptop("desktop")
                let programs = "\(desktop.home)-programs"
                let sounds = "\(programs)/sounds/lockstep"
                try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: true)
                try Data().write(to: URL(filePath: "\(sounds)/bell.wav"))
                try writeScript("exit 0", to: "\(programs)/notify-send")
                try writeScript(": >'\(desktop.home)/played'", to: "\(programs)/pw-play")
                desktop.wrapper = ProgramWrapper([
                    "/usr/bin/env", "PATH=\(programs):/usr/bin:/bin", "XDG_DATA_DIRS=\(programs)",
                ])
                try desktop.startAgent(until: nil)
                #expect(try !rings(desktop))
            }
        }

        @Test("the terminal is given back by SIGTERM and by a crash, and lent by Ctrl-Z")
        func restoring() throws {
            try World.with { world in
                let terminal = try world.laptop("desk").terminal()
                try terminal.shell("stty -g > ~/before")
                func expectRestored() throws {
                    try terminal.givesBack()
                    try terminal.clear()
                    try terminal.shell("stty -g | cmp - ~/before && echo as before")
                    try terminal.until("the terminal's modes are as before") { $0.contains("as before") }
                }
                for signal in [SIGTERM, SIGHUP, SIGSEGV, SIGILL] {
                    try terminal.clear()
                    try terminal.shell("SWIFT_BACKTRACE=enable=no $FOCUS")
                    try terminal.shows("1 Timer")
                    kill(try terminal.program(), signal)
                    try expectRestored()
                }
                try terminal.clear()
                try terminal.shell("$FOCUS")
                try terminal.shows("1 Timer")
                try terminal.press("C-z")
                try expectRestored()
                try terminal.resize(rows: 12, columns: 40)
                try terminal.shell("fg")
                try terminal.shows("Timer History Stats")
                try terminal.resize(rows: 30, columns: 100)
                try terminal.shows("3 Statistics")
            }
        }

        @Test("pasted text is text: it presses nothing, and fills a field without ending it")
        func pasting() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                try laptop.press("start", "Old")
                // A locale that the system doesn't have still implies UTF-8.
                let terminal = try laptop.terminal("tmux-256color", ["LANG": "tlh_KX.UTF-8"])
                try terminal.view()
                try terminal.shows("─")
                try terminal.paste("x4q stop\nx")
                try terminal.press("?")
                try terminal.shows("Getting around")
                try terminal.press("z", "l", "C-u")
                try terminal.paste("Käse x\nand more\n")
                try terminal.shows("Label: Käse x and more")
                #expect(try laptop.status().label == "Old")
                try terminal.press("Enter")
                try eventually("the label") { try laptop.status().label == "Käse x and more" }
                try terminal.press("q")
                try terminal.givesBack()
            }
        }

        @Test("an undo that would add to the history asks first")
        func asking() throws {
            try World.with { world in
                let laptop = world.laptop("desk")
                try laptop.recordOldSession()
                let terminal = try laptop.terminal()
                try terminal.view()
                try terminal.shows("Work (stopped)")
                try terminal.press("u")
                try terminal.shows("adds")
                try terminal.press("n")
                try terminal.shows("Nothing was changed.")
                #expect(try laptop.status().status == "stopped")
                try terminal.press("u")
                try terminal.shows("y/n")
                try terminal.press("y")
                try terminal.shows("Took back the stop")
                #expect(try laptop.status().status == "running")
            }
        }

        @Test(
            "a laptop is let into a group by an invite that is pasted, which its agent hears of, invites the next one, and parts again"
        )
        func membership() throws {
            try World.with(["home"]) { world in
                let desk = world.laptop("desk")
                try desk.press("log", "add", "Alone", "--for", "30m")
                try desk.press("devices", "rename", "home")
                try desk.startAgent(until: .answering)
                let terminal = try desk.terminal(rows: 30, columns: 250)
                try terminal.view()
                try terminal.shows("5, then S")
                try terminal.press("5", "J")
                try terminal.shows("Paste an invite")
                try terminal.paste(try world.laptops[0].invite())
                try terminal.press("Enter")
                try terminal.shows("Recorded here without a group: 30m of focus time in 1 session")
                #expect(try desk.status().group == nil, "nothing has been done yet")
                try terminal.press("y")
                try terminal.shows("This laptop is in the group now, as home, with home (")
                try terminal.shows("Another laptop of the group is called home too.")
                try terminal.type("desk")
                try terminal.press("Enter")
                try terminal.shows("online")
                try eventually("the agent is connected") { try desk.isOnline }
                #expect(try world.agree().contains { $0.contains("\"label\":\"Alone\"") })
                try eventually("home knows its name") {
                    try world.laptops[0].devices().contains { $0.name == "desk" }
                }
                try terminal.press("i")
                try terminal.shows("Enter goes back")
                let invite = try #require(try terminal.lines.first { $0.hasPrefix("lockstep") })
                try terminal.press("q", "Enter")
                try terminal.shows("█▀")
                try eventually("the invite is below its code") { try terminal.lines.contains(invite) }
                try terminal.press("Enter")
                try terminal.shows("this laptop")
                try world.laptop("late").join(invite)

                try terminal.press("J")
                try terminal.shows("in a group already")
                try terminal.press("p")
                try terminal.shows("Leave the group?")
                try terminal.press("y")
                try terminal.shows("This laptop has left the group and starts over, in no group.")
                try terminal.shows("FOCUS_HOME=")
                #expect(try desk.status().group == nil)
                try terminal.press("p")
                try terminal.shows("This laptop is in no group.")
            }
        }

        @Test("a server that says nothing holds nothing up: the view goes on, and Esc gives the joining up")
        func givingUp() throws {
            try World.with { world in
                try world.server.start()
                let invite = try world.server.invite()
                try world.server.stop()
                let desk = world.laptop("desk")
                let terminal = try desk.terminal(rows: 24, columns: 130)
                try terminal.view()
                try terminal.press("5", "J")
                try terminal.paste(invite)
                try terminal.press("Enter")
                try terminal.shows("The server can't be reached")
                try terminal.shows("This laptop hasn't joined.")

                let deaf = try world.server.silentSocket()
                try terminal.press("J")
                try terminal.paste(invite)
                try terminal.press("Enter")
                try terminal.shows("Asking the server to let this laptop in")
                try terminal.press("1")
                try terminal.press("Space")
                try terminal.shows("Esc gives it up")
                try eventually("it runs") { try desk.status().status == "running" }
                try terminal.press("Escape")
                try terminal.shows("Given up before the server had answered. This laptop hasn't joined.")
                #expect(try desk.status().group == nil)

                // Leaving the view doesn't wait for the server either.
                try terminal.press("5", "J")
                try terminal.paste(invite)
                try terminal.press("Enter")
                try terminal.shows("Asking the server to let this laptop in")
                let took = try ContinuousClock().measure {
                    try terminal.press("q")
                    try terminal.givesBack()
                }
                #expect(took < .seconds(10))
                _ = consume deaf
            }
        }
    }
}
