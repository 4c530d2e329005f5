import ClientSupport
import CommandLineKit
import TestSupport
import Testing

@Suite("focus set")
struct SetCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    @Test("without arguments all settings are shown, in the form that sets them")
    func all() {
        let result = laptop.run("set")
        #expect(
            result.output == """
                workLength=25m
                shortBreakLength=5m
                longBreakLength=15m
                longBreakFrequency=4
                autoStartBreaks=on
                autoStartWork=on
                dailyGoal=8
                dailyFocus=off
                weeklyGoal=off
                weeklyFocus=off
                daysOff=none
                idleLimit=4h
                overtime=off
                notifications=on
                sound=on
                warnBefore=off
                sleep=pause
                idle=ask
                theme=system
                accent=red
                tray=off

                """)
        #expect(home.files == [])
        let words = result.output.split(separator: "\n").map(String.init)
        #expect(laptop.run(["set"] + words).status == .done)
    }

    @Test("a setting that a log begins with is shown before the first press already")
    func first() {
        let home = TemporaryHome()
        let other = TestContext(home: home.path, now: 1_763_661_600_000)
        #expect(other.run("set idleLimit=2h").output.hasPrefix("idleLimit=2h (was 4h)\n"))
        _ = laptop.run("start")
        #expect(laptop.run("set idleLimit").output == "idleLimit=4h\n")
    }

    @Test("goals in focus time and days off are written as people say them, and are numbers in JSON")
    func goals() {
        let change = laptop.run("set dailyFocus=3h30m weeklyGoal=30 weeklyFocus=20h daysOff=sun,sat")
        #expect(
            change.output.hasPrefix(
                """
                dailyFocus=3h30m (was off)
                weeklyGoal=30 (was off)
                weeklyFocus=20h (was off)
                daysOff=sat,sun (was none)

                """))
        #expect(
            laptop.run("set dailyFocus weeklyFocus daysOff --json").output
                == #"{"settings":{"dailyFocus":12600,"weeklyFocus":72000,"daysOff":96},"laptopSettings":{}}"#
                + "\n")
        #expect(laptop.run("set dailyFocus=off daysOff=off").status == .done)
        #expect(laptop.run("set dailyFocus daysOff").output == "dailyFocus=off\ndaysOff=none\n")
    }

    @Test("--json shows the named settings, or all")
    func json() {
        _ = laptop.run("set dailyGoal=3 sound=off")
        #expect(
            laptop.run("set dailyGoal sound workLength dailyGoal --json").output
                == #"{"settings":{"dailyGoal":3,"workLength":1500},"laptopSettings":{"sound":"off"}}"# + "\n")
        #expect(
            laptop.run("set --json").output.hasSuffix(
                #""idleLimit":14400,"overtime":0},"laptopSettings":{"notifications":"on","sound":"off","#
                    + #""warnBefore":"off","sleep":"pause","idle":"ask","theme":"system","accent":"red","#
                    + #""tray":"off"}}"# + "\n"))
        let refused = laptop.run("set --json dailyGoal=4")
        #expect(refused.status == .usage)
        #expect(refused.messages.contains("--json shows settings, and changes none."))
        #expect(laptop.run("set dailyGoal").output == "dailyGoal=3\n")
    }

    @Test("a change prints the new and old values and the timer's state")
    func change() {
        #expect(
            laptop.run("set workLength=50m dailyGoal autoStartWork=off shortBreakLength=5").output
                == """
                workLength=50m (was 25m)
                dailyGoal=8
                autoStartWork=off (was on)
                shortBreakLength=5m (as before)
                Work  50:00  (stopped)

                """)
        #expect(laptop.run("set workLength").output == "workLength=50m\n")
        #expect(laptop.notifications == 1)
    }

    @Test("a change of the present phase's length says that it applies from the next one on")
    func later() {
        let sentence = "focus: The present work keeps its length. The change applies from the next one on.\n"
        _ = laptop.run("start")
        #expect(laptop.run("set workLength=50m").messages == sentence)
        #expect(laptop.run("profile classic").messages == sentence)
        #expect(laptop.run("set shortBreakLength=6m dailyGoal=4").messages == "")
    }

    @Test("the theme and the colour of work are one of a few names")
    func names() {
        let changed = laptop.run("set theme=dark accent=violet").output
        #expect(changed == "theme=dark (was system)\naccent=violet (was red)\n")
        #expect(laptop.run("set theme accent").output == "theme=dark\naccent=violet\n")
        for (words, range) in [
            ("theme=on", "theme is system, light or dark"), ("theme=Dark", "theme is system, light or dark"),
            ("accent=green", "accent is red, orange or violet"),
            ("accent=", "accent is red, orange or violet"),
        ] {
            let result = laptop.run(["set", words])
            #expect(result.status == .usage)
            #expect(result.messages.contains("isn't allowed: \(range)"), "\(words)")
        }
        #expect(laptop.run("set theme").output == "theme=dark\n")
    }

    @Test("a laptop's own setting is changed without an event in the log")
    func own() {
        #expect(laptop.run("set sound=off").output == "sound=off (was on)\n")
        let again = laptop.run("set sound=off notifications").output
        #expect(again == "sound=off (as before)\nnotifications=on\n")
        #expect(laptop.run("set sound").output == "sound=off\n")
        #expect(laptop.run("export").output == "", "the others don't hear of it")
        #expect(laptop.run("set sleep=keep").output == "sleep=keep (was pause)\n")
        #expect(laptop.run("set sleep=off").messages.contains("isn't allowed: sleep is pause or keep"))
        #expect(laptop.run("set sound=loud").messages.contains("isn't allowed: sound is on or off"))
    }

    @Test("the warning before the end is off or a length, which is shown in its shortest form")
    func warnBefore() {
        #expect(laptop.run("set warnBefore=120s").output == "warnBefore=2m (was off)\n")
        #expect(laptop.run("set warnBefore=2").output == "warnBefore=2m (as before)\n")
        #expect(laptop.run("set warnBefore --json").output.contains(#"{"warnBefore":"2m"}"#))
        for value in ["9s", "1h1s", "on", "0s", ""] {
            #expect(
                laptop.run("set warnBefore=\(value)").messages.contains(
                    "isn't allowed: warnBefore is off, or between 10s and 1h"), "\(value)")
        }
        #expect(laptop.run("set warnBefore").output == "warnBefore=2m\n")
        #expect(laptop.run("set warnBefore=off").output == "warnBefore=off (was 2m)\n")
    }

    @Test("if one value is invalid, no setting is changed")
    func refused() {
        let result = laptop.run("set workLength=50m dailyGoal=101")
        #expect(result.status == .usage)
        #expect(
            result.messages.hasPrefix(
                "focus: KEY[=VALUE]: 'dailyGoal=101' isn't allowed: dailyGoal is off, or between 1 and 100."))
        #expect(laptop.run("set workLength").output == "workLength=25m\n")
    }

    @Test("a setting can't be given two values at once")
    func twoValues() {
        let result = laptop.run("set dailyGoal dailyGoal=4 workLength=50m dailyGoal=8")
        #expect(result.status == .usage)
        #expect(result.messages.hasPrefix("focus: dailyGoal is given two values.\n"))
        #expect(home.files == [])
    }
}
