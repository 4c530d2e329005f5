import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §2 and §4, "set".
@Suite("Settings")
struct SettingsTests {
    @Test(
        "a setting takes the values of its range and no other",
        arguments: [
            ("workLength", 1, 86400), ("shortBreakLength", 1, 86400), ("longBreakLength", 1, 86400),
            ("longBreakFrequency", 1, 100), ("autoStartBreaks", 0, 1), ("autoStartWork", 0, 1),
            ("dailyGoal", 0, 100), ("dailyFocus", 0, 86400), ("weeklyGoal", 0, 700),
            ("weeklyFocus", 0, 604800), ("daysOff", 0, 127), ("idleLimit", 60, 86400), ("overtime", 0, 1),
        ] as [(String, Int64, Int64)])
    func ranges(key: String, low: Int64, high: Int64) throws {
        for value in [low, high] {
            var log = LogScript()
            log.set(key, value, 1)
            #expect(try log.state(at: 2).settings[key] == value)
        }
        for value in [low - 1, high + 1, .min, .max] {
            var log = LogScript()
            log.set(key, value, 1)
            #expect(try log.state(at: 2).settings == NaiveSettings())
        }
    }

    @Test("the last word on the laptop with the server is with its author, and is no press")
    func server() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(1)
        log.pause(run, 1)
        let before = try log.replayed().lastChange
        log.set("server", -7, minutes(5), by: .b)
        #expect(try log.state(at: minutes(10)).server == NaiveServer(key: -7, replica: .b))
        #expect(try log.state(at: minutes(12)).run == nil, "nobody was there")
        let state = try log.replayed()
        #expect(state.lastChange == before)
        #expect(try ReplayState(encoded: state.encoded()) == state)
        log.set("server", 0, minutes(6), by: .c)
        #expect(try log.state(at: minutes(10)).server == nil)
    }

    @Test("the last set in replay order wins, key by key")
    func lastWins() throws {
        var log = LogScript()
        log.set("workLength", 60, 2, by: .b)
        log.set("workLength", 120, 1, by: .a)
        log.set("shortBreakLength", 30, 1, by: .c)
        let settings = try log.state(at: 3).settings
        #expect(settings["workLength"] == 60)
        #expect(settings["shortBreakLength"] == 30)
    }

    @Test(
        "a set that changes a value counts as someone having been there, but for goals",
        arguments: [
            ("workLength", 60, true), ("workLength", 1500, false), ("dailyGoal", 3, false),
            ("dailyFocus", 60, false), ("weeklyGoal", 3, false), ("weeklyFocus", 60, false),
            ("daysOff", 96, false),
        ] as [(String, Int64, Bool)])
    func touches(key: String, value: Int64, isTouch: Bool) throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(1)
        log.pause(run, 1)
        log.set(key, value, minutes(9))
        #expect(try log.state(at: minutes(18)).run == (isTouch ? run : nil))
        #expect(try log.state(at: minutes(19)).run == nil)
    }

    @Test("a set finds a run that closed by itself closed, under the old limit")
    func setAfterClosing() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.set("idleLimit", 43200, minutes(30))
        let state = try log.state(at: minutes(30))
        #expect(state.run == nil)
        #expect(state.history.first?.endedAt == minutes(11))
        #expect(state.settings["idleLimit"] == 43200)
    }

    @Test("presses after a set can't reach back before it")
    func anchors() throws {
        var log = LogScript()
        let run = log.start(0)
        log.set("workLength", 60, minutes(10))
        log.pause(run, minutes(12), at: minutes(5))
        #expect(try log.state(at: minutes(12)).clock == "15:00")
    }
}
