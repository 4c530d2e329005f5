import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "start": the run that becomes current if several devices begin one.
@Suite("Start")
struct StartTests {
    @Test("a start begins work at its full length, cycle nought")
    func begins() throws {
        var log = LogScript(set: "workLength", 60)
        let run = log.start(minutes(1), label: " Write ")
        let state = try log.state(at: minutes(1))
        #expect(state.status == "running" && state.run == run && state.label == "Write")
        #expect(state.ordinal == 0 && state.completedCycles == 0 && state.remaining == minutes(1))
    }

    @Test(
        "a start with an earlier at has been running since then, but not from the future nor before all instants",
        arguments: [(minutes(4), "19:00"), (minutes(11), "25:00"), (.distantPast, "15:00")]
            as [(SharedInstant, String)])
    func backdated(at: SharedInstant, shown: String) throws {
        var log = LogScript()
        log.start(minutes(10), at: at)
        #expect(try log.state(at: minutes(10)).clock == shown)
    }

    @Test("a start can't reach back before a closing by the limit that was found")
    func notBeforeClosing() throws {
        var log = LogScript(set: "idleLimit", 600)
        let first = log.start(0)
        log.pause(first, minutes(1))
        log.resume(first, minutes(20))
        log.start(minutes(21), after: first, at: minutes(5))
        let state = try log.state(at: minutes(21))
        #expect(state.endsAt == minutes(11 + 25))
        #expect(state.history.map(\.endedAt) == [minutes(11)])
    }

    @Test("an offline start that knew of an offline one closes it")
    func offlineKnowingOffline() throws {
        var log = LogScript()
        let first = log.start(0, offline: true)
        let second = log.start(minutes(3), after: first, offline: true)
        #expect(try log.state(at: minutes(3)).run == second)
        #expect(try log.state(at: minutes(3)).sideRuns.isEmpty)
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
        var log = LogScript(set: "autoStartBreaks", 0)
        log.start(0, by: .a)
        let second = log.start(minutes(30), by: .b)
        let state = try log.state(at: minutes(30))
        #expect(state.run == second)
        #expect(state.history.map(\.outcome) == ["completed"])
    }

    @Test("a start finds a run that closed by itself closed, and is current")
    func afterClosing() throws {
        var log = LogScript(set: "idleLimit", 600)
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
        var log = LogScript(set: "idleLimit", 600)
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
        var log = LogScript(set: "idleLimit", 600)
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

    @Test(
        "a press by its own starter, or one that can't act, leaves an offline run offline",
        arguments: [true, false])
    func stillOffline(isOwn: Bool) throws {
        var log = LogScript()
        let first = log.start(0, by: .a, offline: true)
        if isOwn {
            log.label(first, "Mine", minutes(1), by: .a)
        } else {
            log.resume(first, minutes(1), by: .b)
        }
        let second = log.start(minutes(3), by: .b)
        #expect(try log.state(at: minutes(3)).run == second)
    }
}
