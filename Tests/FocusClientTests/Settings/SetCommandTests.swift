import ClientSupport
import CommandLineKit
import TestSupport
import Testing

@Suite("focus set")
struct SetCommandTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    @Test("without a word it shows all settings, in the form in which they are set")
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
                idleLimit=12h
                notifications=on
                sound=on
                sleep=pause

                """)
        #expect(home.files == [])
        let words = result.output.split(separator: "\n").map(String.init)
        #expect(laptop.run(["set"] + words).status == .done)
    }

    @Test("as JSON it shows those that are named, or all")
    func json() {
        _ = laptop.run("set dailyGoal=3 sound=off")
        #expect(
            laptop.run("set dailyGoal sound workLength dailyGoal --json").output
                == #"{"settings":{"dailyGoal":3,"workLength":1500},"laptopSettings":{"sound":"off"}}"# + "\n")
        #expect(
            laptop.run("set --json").output.hasSuffix(
                #""idleLimit":14400},"laptopSettings":{"notifications":"on","sound":"off","sleep":"pause"}}"#
                    + "\n"))
        let refused = laptop.run("set --json dailyGoal=4")
        #expect(refused.status == .usage)
        #expect(refused.messages.contains("--json shows settings, and changes none."))
        #expect(laptop.run("set dailyGoal").output == "dailyGoal=3\n")
    }

    @Test("it says what was changed, and shows what every laptop shows")
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

    @Test("what holds for this laptop alone is told from what holds for all")
    func own() {
        #expect(laptop.run("set sound=off").output == "sound=off (was on)\n")
        let again = laptop.run("set sound=off notifications").output
        #expect(again == "sound=off (as before)\nnotifications=on\n")
        #expect(laptop.run("set sound").output == "sound=off\n")
        #expect(laptop.run("export").output == "", "the others don't hear of it")
        #expect(laptop.run("set sleep=keep").output == "sleep=keep (was pause)\n")
        #expect(laptop.run("set sleep=off").messages.contains("can't be: sleep is pause or keep"))
        #expect(laptop.run("set sound=loud").messages.contains("can't be: sound is on or off"))
    }

    @Test("where one of them can't be, none is changed")
    func refused() {
        let result = laptop.run("set workLength=50m dailyGoal=101")
        #expect(result.status == .usage)
        #expect(
            result.messages.hasPrefix(
                "focus: KEY[=VALUE]: 'dailyGoal=101' can't be: dailyGoal is between 0 and 100."))
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
