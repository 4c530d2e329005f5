import FocusCore
import TestSupport
import Testing

@Suite("What happens to a session")
struct HappeningTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    /// Lets `press` write, and returns the happenings between the two instants, such as "pause". An activity in
    /// brackets, as in "phase-end(work)", marks a phase that isn't the one shown.
    private mutating func happen(
        _ then: SharedInstant, _ now: SharedInstant, _ press: (inout LogScript) -> Void = { _ in }
    ) throws -> [String] {
        let before = try EventLog(log.events).replayed().0
        press(&log)
        let after = try EventLog(log.events).replayed().0
        let presser = Happening.Cause.other("home")
        return Happening.changes(from: before, at: then, to: after, at: now, pressedBy: presser).map {
            let isShown = $0.activity == $0.timer.run?.activity ?? .work
            let cause = $0.cause == presser ? "" : " by time"
            return $0.kind.rawValue + (isShown ? "" : "(\($0.activity.rawValue))") + cause
        }
    }

    @Test("each press is what it does to the session")
    mutating func presses() throws {
        let run = run
        #expect(try happen(0, minutes(1)) { $0.pause(run, minutes(1)) } == ["pause"])
        #expect(try happen(minutes(1), minutes(2)) { $0.resume(run, minutes(2)) } == ["resume"])
        let skip = try happen(minutes(2), minutes(3)) { $0.skip(run, 0, minutes(3)) }
        #expect(skip == ["skip", "phase-end(work)", "phase-start"])
        #expect(try happen(minutes(3), minutes(4)) { $0.stop(run, minutes(4)) } == ["stop(shortBreak)"])
        #expect(try happen(minutes(4), minutes(5)) { $0.start(minutes(5)) } == ["start", "phase-start"])
    }

    @Test("what changes nothing of the session is nothing that happens")
    mutating func nothing() throws {
        let run = run
        #expect(try happen(0, minutes(1)) == [])
        #expect(try happen(0, minutes(1)) { $0.label(run, "Write", minutes(1)) } == [])
        #expect(try happen(0, minutes(1)) { $0.set("dailyGoal", 3, minutes(1)) } == [])
        // If two devices skip the same phase, the second skip reports nothing.
        log.skip(run, 0, minutes(2))
        #expect(try happen(minutes(2), minutes(2)) { $0.skip(run, 0, minutes(2), by: .b) } == [])
        // The clock was set back.
        #expect(try happen(minutes(33), minutes(31)) == [])
    }

    @Test("a phase that runs out ends by time, and the next begins, or waits to be started")
    mutating func runningOut() throws {
        #expect(try happen(minutes(24), minutes(25)) == ["phase-end(work) by time", "phase-start by time"])
        log.set("autoStartBreaks", 0, 0)
        #expect(try happen(minutes(24), minutes(25)) == ["phase-end(work) by time"])
        let run = run
        let begun = try happen(minutes(25), minutes(26)) { $0.resume(run, minutes(26)) }
        #expect(begun == ["resume", "phase-start"])
    }

    @Test("work that lies ahead begins by time, or by a press, and a sleep over its beginning is a pause")
    mutating func waiting() throws {
        log = LogScript()
        let begun = try happen(0, minutes(1)) { $0.start(minutes(1), begins: minutes(30)) }
        #expect(begun == ["start"])
        let run = try #require(log.events.last).run
        #expect(try happen(minutes(2), minutes(29)) == [])
        #expect(try happen(minutes(29), minutes(30)) == ["phase-start by time"])
        let waiting = log
        let pause = try happen(minutes(2), minutes(60)) { $0.pause(run, minutes(60), at: minutes(30)) }
        #expect(pause == ["pause"])
        log = waiting
        #expect(
            try happen(minutes(2), minutes(3)) { $0.resume(run, minutes(3)) } == ["resume", "phase-start"])
    }

    @Test("a planned start that arrives after its beginning was pressed, but its work begins by time")
    func planned() throws {
        var log = LogScript()
        log.start(0, begins: minutes(30))
        let happenings = Happening.changes(
            from: ReplayState(), at: 0, to: try EventLog(log.events).replayed().0, at: minutes(31),
            pressedBy: .other("home"), isPlanned: true)
        #expect(happenings.map(\.kind) == [.start, .phaseStart])
        #expect(happenings.map(\.cause) == [.other("home"), .time])
    }

    @Test("work that is completed by hand ends, and isn't said to be skipped")
    func completed() throws {
        var log = log
        let before = try EventLog(log.events).replayed().0
        log.add(.complete(run, ordinal: 0, at: nil), minutes(3))
        let happenings = Happening.changes(
            from: before, at: minutes(2), to: try EventLog(log.events).replayed().0, at: minutes(3),
            pressedBy: .own, isCompletion: true)
        #expect(happenings.map(\.kind) == [.phaseEnd, .phaseStart])
    }

    @Test("what was slept through is told once, and what was pressed meanwhile after it")
    mutating func sleeping() throws {
        let run = run
        let told = try happen(minutes(1), minutes(62)) { $0.pause(run, minutes(61)) }
        #expect(told == ["phase-end by time", "phase-start by time", "pause"])
    }

    @Test(
        "a pause that reaches back says that the phases which seemed over were not, nor the session",
        arguments: [minutes(90), minutes(14 * 60)] as [SharedInstant])
    mutating func reachingBack(now: SharedInstant) throws {
        let run = run
        #expect(try happen(minutes(10), now) { $0.pause(run, now, at: minutes(10)) } == ["pause"])
    }

    @Test("a pause that reaches back to a phase's end leaves that end, which was by time")
    mutating func reachingBackToAnEnd() throws {
        let run = run
        let told = try happen(minutes(26), minutes(90)) { $0.pause(run, minutes(90), at: minutes(30)) }
        #expect(told == ["phase-end(shortBreak) by time", "pause"])
    }

    @Test("a session that everybody left ends by time")
    mutating func closing() throws {
        log.pause(run, minutes(1))
        #expect(try happen(minutes(2), minutes(1 + 12 * 60)) == ["stop by time"])
    }
}
