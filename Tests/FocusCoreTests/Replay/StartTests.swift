import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "start": the run that becomes current if several devices begin one.
@Suite("Start")
struct StartTests {
    @Test("a start begins work at its full length, cycle nought")
    func begins() throws {
        var log = LogScript()
        log.set("workLength", 60, 0)
        let run = log.start(minutes(1), label: " Write ")
        let state = try log.state(at: minutes(1))
        #expect(state.status == "running")
        #expect(state.run == run)
        #expect(state.ordinal == 0)
        #expect(state.remaining == minutes(1))
        #expect(state.completedCycles == 0)
        #expect(state.label == "Write")
    }

    @Test("a start with an earlier at has been running since then")
    func backdated() throws {
        var log = LogScript()
        log.start(minutes(10), at: minutes(4))
        #expect(try log.state(at: minutes(10)).clock == "19:00")
    }

    @Test("a start can't lie in its future, nor before all instants")
    func outOfRange() throws {
        var log = LogScript()
        log.start(minutes(10), at: minutes(11))
        #expect(try log.state(at: minutes(10)).clock == "25:00")
        var early = LogScript()
        early.start(minutes(10), at: .distantPast)
        #expect(try early.state(at: minutes(10)).clock == "15:00")
    }

    @Test("a start can't reach back before what was pressed on any run")
    func notBeforeLatest() throws {
        var log = LogScript()
        let first = log.start(0)
        log.stop(first, minutes(10))
        log.start(minutes(12), after: first, at: minutes(5))
        #expect(try log.state(at: minutes(12)).clock == "23:00")
    }

    @Test("a start can't reach back before a closing by the limit that was found")
    func notBeforeClosing() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let first = log.start(0)
        log.pause(first, minutes(1))
        log.resume(first, minutes(20))
        log.start(minutes(21), after: first, at: minutes(5))
        let state = try log.state(at: minutes(21))
        #expect(state.endsAt == minutes(11 + 25))
        #expect(state.history.map(\.endedAt) == [minutes(11)])
    }

    @Test("two laptops that start together have one session: the first start's, the other is a side run")
    func concurrent() throws {
        var log = LogScript()
        let first = log.start(minutes(1), by: .a)
        let second = log.start(minutes(2), by: .b)
        let state = try log.state(at: minutes(3))
        #expect(state.run == first)
        #expect(state.clock == "23:00")
        #expect(state.sideRuns == [second])
    }

    @Test("of two starts with one stamp the lesser replica's comes first")
    func equalStamps() throws {
        var log = LogScript()
        let second = log.start(minutes(1), by: .b)
        let first = log.start(minutes(1), by: .a)
        let state = try log.state(at: minutes(3))
        #expect(state.run == first)
        #expect(state.sideRuns == [second])
    }

    @Test("a start that knew of the current run closes it, its phase stopped")
    func closesCurrent() throws {
        var log = LogScript()
        let first = log.start(0)
        let second = log.start(minutes(3), by: .b, after: first)
        let state = try log.state(at: minutes(3))
        #expect(state.run == second)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.outcome) == ["stopped"])
        #expect(state.history.map(\.endedAt) == [minutes(3)])
    }

    @Test("an offline start doesn't close a session of those who were together, even one that it knew of")
    func offlineKnowing() throws {
        var log = LogScript()
        let first = log.start(0)
        let second = log.start(minutes(3), by: .b, after: first, offline: true)
        let state = try log.state(at: minutes(3))
        #expect(state.run == first)
        #expect(state.sideRuns == [second])
    }

    @Test("an offline start that knew of an offline one closes it")
    func offlineKnowingOffline() throws {
        var log = LogScript()
        let first = log.start(0, offline: true)
        let second = log.start(minutes(3), after: first, offline: true)
        #expect(try log.state(at: minutes(3)).run == second)
        #expect(try log.state(at: minutes(3)).sideRuns.isEmpty)
    }

    @Test("an online start takes over from an offline one that began before it")
    func onlineTakesOver() throws {
        var log = LogScript()
        let cutOff = log.start(0, by: .a, offline: true)
        let together = log.start(minutes(3), by: .b)
        let state = try log.state(at: minutes(3))
        #expect(state.run == together)
        #expect(state.sideRuns == [cutOff])
        #expect(state.history.isEmpty)
    }

    @Test("an offline start that comes later is a side run, though the current one is paused")
    func offlineAgainstPaused() throws {
        var log = LogScript()
        let together = log.start(0, by: .b)
        log.pause(together, minutes(1), by: .b)
        let cutOff = log.start(minutes(3), by: .a, offline: true)
        let state = try log.state(at: minutes(3))
        #expect(state.run == together)
        #expect(state.sideRuns == [cutOff])
    }

    @Test(
        "among equals a start takes over a paused run, which stays open beside it", arguments: [false, true])
    func takesOverPaused(offline: Bool) throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: offline)
        log.pause(first, minutes(1), by: .a)
        let second = log.start(minutes(3), by: .b, offline: offline)
        let state = try log.state(at: minutes(3))
        #expect(state.run == second)
        #expect(state.sideRuns == [first])
        #expect(state.history.isEmpty)
    }

    @Test("a run that waits for its break to be started counts as paused")
    func takesOverWaiting() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        log.start(0, by: .a)
        let second = log.start(minutes(30), by: .b)
        let state = try log.state(at: minutes(30))
        #expect(state.run == second)
        #expect(state.history.map(\.outcome) == ["completed"])
    }

    @Test("a start finds a run that closed by itself closed, and is current")
    func afterClosing() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        log.start(0, by: .a)
        let second = log.start(minutes(40), by: .b, offline: true)
        let state = try log.state(at: minutes(40))
        #expect(state.run == second)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.endedAt) == [minutes(25)])
    }

    @Test("a run set aside keeps the settings that were in force, and no longer ends by new ones")
    func sideRunKeepsSettings() throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        log.start(minutes(3), by: .b)
        log.set("shortBreakLength", 60, minutes(4), by: .b)
        log.set("idleLimit", 60, minutes(4), by: .b)
        log.stop(first, minutes(28), by: .a)
        let records = try log.state(at: minutes(28)).history.filter { $0.run == first }
        #expect(records.map(\.activity) == ["work", "shortBreak"])
        #expect(records.map(\.endedAt) == [minutes(25), minutes(28)])
    }

    @Test("setting a run aside is no touch: its limit stays where it was")
    func sideRunUntouched() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let first = log.start(0, by: .a)
        log.pause(first, minutes(1), by: .a)
        log.start(minutes(10), by: .b)
        log.resume(first, minutes(11), by: .a)
        let state = try log.state(at: minutes(11))
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.endedAt) == [minutes(11)])
    }

    @Test("a press can't reach back before its run was set aside")
    func sideRunAnchor() throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        log.start(minutes(10), by: .b)
        log.stop(first, minutes(15), by: .a, at: minutes(5))
        #expect(try log.state(at: minutes(15)).history.map(\.endedAt) == [minutes(10)])
    }

    @Test("a side run's time has not passed until someone presses something on it")
    func sideRunsAreNotAdvanced() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        log.start(0, by: .a)
        let side = log.start(1, by: .b)
        let state = try log.state(at: minutes(1000))
        #expect(state.run == nil)
        #expect(state.sideRuns == [side])
    }

    @Test("side runs are listed by stamp, then by replica")
    func sideRunOrder() throws {
        var log = LogScript()
        log.start(0, by: .a)
        let last = log.start(minutes(2), by: .a)
        let second = log.start(minutes(1), by: .c)
        let first = log.start(minutes(1), by: .b)
        #expect(try log.state(at: minutes(2)).sideRuns == [first, second, last])
    }

    @Test("a press by another laptop makes an offline run one of those who are together")
    func othersPress() throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        log.label(first, "Ours", minutes(1), by: .b)
        let second = log.start(minutes(3), by: .b)
        let state = try log.state(at: minutes(3))
        #expect(state.run == first)
        #expect(state.sideRuns == [second])
    }

    @Test("a press by its own starter leaves an offline run offline")
    func ownPress() throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        log.label(first, "Mine", minutes(1), by: .a)
        let second = log.start(minutes(3), by: .b)
        #expect(try log.state(at: minutes(3)).run == second)
    }

    @Test("a press by another laptop that can't act leaves an offline run offline")
    func othersIdlePress() throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        log.resume(first, minutes(1), by: .b)
        let second = log.start(minutes(3), by: .b)
        #expect(try log.state(at: minutes(3)).run == second)
    }
}
