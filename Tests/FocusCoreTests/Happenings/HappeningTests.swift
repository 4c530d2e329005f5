import FocusCore
import TestSupport
import Testing

@Suite("What happens to a session")
struct HappeningTests {
    /// Returns the happenings between a log and a longer one, such as "pause". An activity in brackets, as in
    /// "phase-end(work)", marks a phase that isn't the one shown.
    private func changes(
        from before: LogScript, at then: SharedInstant, to after: LogScript, at now: SharedInstant,
        by presser: Happening.Cause = .other("home")
    ) throws -> [String] {
        let states = try [before, after].map { try EventLog($0.events).replayed().0 }
        return Happening.changes(from: states[0], at: then, to: states[1], at: now, pressedBy: presser).map {
            let isShown = $0.activity == $0.timer.run?.activity ?? .work
            let cause = $0.cause == presser ? "" : " by time"
            return $0.kind.rawValue + (isShown ? "" : "(\($0.activity.rawValue))") + cause
        }
    }

    @Test("each press is what it does to the session")
    func presses() throws {
        var log = LogScript()
        var before = log
        let run = log.start(0)
        #expect(try changes(from: before, at: 0, to: log, at: 0) == ["start", "phase-start"])
        before = log
        log.pause(run, minutes(1))
        #expect(try changes(from: before, at: 0, to: log, at: minutes(1)) == ["pause"])
        before = log
        log.resume(run, minutes(2))
        #expect(try changes(from: before, at: minutes(1), to: log, at: minutes(2)) == ["resume"])
        before = log
        log.skip(run, 0, minutes(3))
        #expect(
            try changes(from: before, at: minutes(2), to: log, at: minutes(3))
                == ["skip", "phase-end(work)", "phase-start"])
        before = log
        log.stop(run, minutes(4))
        #expect(try changes(from: before, at: minutes(3), to: log, at: minutes(4)) == ["stop(shortBreak)"])
    }

    @Test("what changes nothing of the session is nothing that happens")
    func nothing() throws {
        var log = LogScript()
        let run = log.start(0)
        let before = log
        #expect(try changes(from: before, at: 0, to: log, at: minutes(1)) == [])
        log.label(run, "Write", minutes(1))
        log.set("dailyGoal", 3, minutes(1))
        #expect(try changes(from: before, at: 0, to: log, at: minutes(1)) == [])
        // If two devices skip the same phase, the second skip reports nothing.
        log.skip(run, 0, minutes(2))
        let skipped = log
        log.skip(run, 0, minutes(2), by: .b)
        #expect(try changes(from: skipped, at: minutes(2), to: log, at: minutes(2)) == [])
    }

    @Test("a phase that runs out ends by time, and the next begins, or waits to be started")
    func runningOut() throws {
        var log = LogScript()
        log.start(0)
        #expect(
            try changes(from: log, at: minutes(24), to: log, at: minutes(25))
                == ["phase-end(work) by time", "phase-start by time"])
        var waiting = LogScript()
        waiting.set("autoStartBreaks", 0, 0)
        let run = waiting.start(0)
        #expect(
            try changes(from: waiting, at: minutes(24), to: waiting, at: minutes(25))
                == ["phase-end(work) by time"])
        let before = waiting
        waiting.resume(run, minutes(26))
        #expect(
            try changes(from: before, at: minutes(25), to: waiting, at: minutes(26))
                == ["resume", "phase-start"])
    }

    @Test("what was slept through is told once, and what was pressed meanwhile after it")
    func sleeping() throws {
        var log = LogScript()
        let run = log.start(0)
        let before = log
        log.pause(run, minutes(61))
        #expect(
            try changes(from: before, at: minutes(1), to: log, at: minutes(62))
                == ["phase-end by time", "phase-start by time", "pause"])
    }

    @Test("a pause that reaches back says that the phases which seemed over were not")
    func reachingBack() throws {
        var log = LogScript()
        let run = log.start(0)
        let before = log
        log.pause(run, minutes(90), at: minutes(10))
        #expect(try changes(from: before, at: minutes(10), to: log, at: minutes(90)) == ["pause"])
        // The pause is written 14 hours later, when the session seemed to have closed.
        var night = before
        night.pause(run, minutes(14 * 60), at: minutes(10))
        #expect(try changes(from: before, at: minutes(10), to: night, at: minutes(14 * 60)) == ["pause"])
    }

    @Test("a pause that reaches back to a phase's end leaves that end, which was by time")
    func reachingBackToAnEnd() throws {
        var log = LogScript()
        let run = log.start(0)
        let before = log
        log.pause(run, minutes(90), at: minutes(30))
        #expect(
            try changes(from: before, at: minutes(26), to: log, at: minutes(90))
                == ["phase-end(shortBreak) by time", "pause"])
        #expect(
            try changes(from: before, at: minutes(26), to: log, at: minutes(40))
                == ["phase-end(shortBreak) by time", "pause"])
    }

    @Test("a session that everybody left ends by time")
    func closing() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(1))
        #expect(
            try changes(from: log, at: minutes(2), to: log, at: minutes(1 + 12 * 60))
                == ["stop by time"])
    }

    @Test("where the clock was set back, nothing has passed")
    func backwards() throws {
        var log = LogScript()
        log.start(0)
        #expect(try changes(from: log, at: minutes(26), to: log, at: minutes(24)) == [])
    }
}
