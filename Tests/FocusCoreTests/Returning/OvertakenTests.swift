import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 2 and its table. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, what others have overtaken")
struct OvertakenTests {
    private static let run = RunID(stamp: .zero, replica: .b)

    /// A press while cut off, at minute 5 of a session, and another device's press at minute 6.
    struct Pair: CustomTestStringConvertible {
        let pending: Action
        let later: Action
        let isOvertaken: Bool

        init(_ pending: Action, _ later: Action, _ isOvertaken: Bool) {
            (self.pending, self.later, self.isOvertaken) = (pending, later, isOvertaken)
        }

        var testDescription: String { "\(pending), then \(later)" }
    }

    private static let pause = Action.pause(run, at: nil)
    private static let resume = Action.resume(run, at: nil)
    private static let stop = Action.stop(run, at: nil)
    private static let skip = Action.skip(run, ordinal: 0, at: nil)
    private static let more = Action.adjust(run, ordinal: 0, seconds: 60, at: nil)
    private static let label = Action.label(run, text: "Read", at: nil)

    /// The table for a running session.
    static let whileRunning: [Pair] = [
        Pair(pause, pause, false), Pair(pause, stop, false), Pair(pause, skip, true),
        Pair(pause, more, false), Pair(pause, label, false),
        Pair(stop, pause, false), Pair(stop, stop, false), Pair(stop, skip, true), Pair(stop, more, true),
        Pair(stop, label, false),
        Pair(skip, pause, false), Pair(skip, stop, false), Pair(skip, skip, false), Pair(skip, more, false),
        Pair(skip, label, false),
        Pair(more, pause, false), Pair(more, stop, false), Pair(more, skip, false), Pair(more, more, false),
        Pair(more, label, false),
    ]

    /// The table for a paused session.
    static let whilePaused: [Pair] = [
        Pair(resume, resume, false), Pair(resume, stop, false), Pair(resume, skip, true),
        Pair(resume, more, false), Pair(resume, label, false),
        Pair(stop, resume, true), Pair(stop, stop, false), Pair(stop, skip, true), Pair(stop, more, true),
        Pair(stop, label, false), Pair(skip, resume, false), Pair(more, resume, false),
    ]

    private let run = OvertakenTests.run
    private var log = LogScript()

    init() { log.start(0, by: .b) }

    @Test("is as the table says while a session runs", arguments: whileRunning)
    mutating func running(pair: Pair) throws { try check(pair) }

    @Test("is as the table says while a session is paused", arguments: whilePaused)
    mutating func paused(pair: Pair) throws {
        log.pause(run, minutes(1), by: .b)
        try check(pair)
    }

    private mutating func check(_ pair: Pair) throws {
        let pending = log.add(pair.pending, minutes(5))
        log.add(pair.later, minutes(6), by: .b)
        let before = try LogScript(log, without: pending).state(at: minutes(7))
        let actions = try log.returns(at: minutes(7), pending: [pending])
        guard pair.isOvertaken else {
            #expect(actions == [])
            return
        }
        #expect(actions == [.undo(pending.id)])
        let state = try log.state(at: minutes(7))
        #expect(state.run == before.run && state.status == before.status && state.endsAt == before.endsAt)
        #expect(state.history == before.history)
    }

    @Test("a skip is overtaken by one of another phase, which it would have moved")
    mutating func otherPhase() throws {
        let pending = log.skip(run, 0, minutes(5))
        log.skip(run, 1, minutes(26), by: .b)
        #expect(try log.returns(at: minutes(27), pending: [pending]) == [.undo(pending.id)])
        #expect(try log.state(at: minutes(27)).endsAt == minutes(51))
    }

    @Test("what changed nothing for those who pressed it overtakes nothing")
    mutating func withoutEffect() throws {
        let pending = log.stop(run, minutes(5))
        log.resume(run, minutes(6), by: .b)
        log.skip(run, 3, minutes(6), by: .c)
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [])
        #expect(try log.state(at: minutes(7)).status == "stopped")
    }

    @Test(
        "what changed something for those who pressed it overtakes, though with the pending press it would not have"
    )
    mutating func withEffectForThem() throws {
        let pending = log.stop(run, minutes(5))
        log.pause(run, minutes(6), by: .b)
        log.resume(run, minutes(7), by: .b)
        #expect(try log.returns(at: minutes(8), pending: [pending]) == [.undo(pending.id)])
        #expect(try log.state(at: minutes(8)).status == "running")
    }

    @Test("what was taken back overtakes nothing")
    mutating func laterUndone() throws {
        let pending = log.stop(run, minutes(5))
        let later = log.adjust(run, 0, seconds: 60, minutes(6), by: .b)
        log.undo(later, minutes(7), by: .c)
        #expect(try log.returns(at: minutes(8), pending: [pending]) == [])
    }

    @Test("a pending press counts from when it was made where nobody pressed since", arguments: whileRunning)
    mutating func nobody(pair: Pair) throws {
        log.label(run, "Write", minutes(4), by: .b)
        let pending = log.add(pair.pending, minutes(5))
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [])
    }

    @Test("what a device pressed on a session falls together, up to what overtook any of it")
    mutating func together() throws {
        log.pause(run, minutes(1), by: .b)
        let resume = log.resume(run, minutes(10))
        let more = log.adjust(run, 0, seconds: 60, minutes(11))
        let stop = log.stop(run, minutes(20))
        log.resume(run, minutes(30), by: .b)
        #expect(
            try log.returns(at: minutes(31), pending: [resume, more, stop])
                == [.undo(resume.id), .undo(stop.id)])
        let state = try log.state(at: minutes(31))
        #expect(state.status == "running" && state.remaining == minutes(24))
    }

    @Test("a press of the very same stamp is no later one")
    mutating func sameStamp() throws {
        let pending = log.stop(run, minutes(5))
        log.skip(run, 0, minutes(5), by: .b)
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [])
    }

    @Test("a press on another run, a start after this one, an undo and an amend are no presses on it")
    mutating func elsewhere() throws {
        let pending = log.stop(run, minutes(5))
        let other = log.start(minutes(6), by: .b, after: run)
        let skip = log.skip(other, 0, minutes(7), by: .b)
        log.undo(skip, minutes(8), by: .b)
        log.add(.amend(.init(run: run, ordinal: 0, label: "Write")), minutes(9), by: .b)
        #expect(try log.returns(at: minutes(10), pending: [pending]) == [])
    }

    @Test("the device's own later presses on the run overtake nothing, under whatever replica")
    mutating func own() throws {
        let pause = log.pause(run, minutes(5))
        let skip = log.skip(run, 0, minutes(6), by: .c)
        #expect(try log.returns(at: minutes(8), own: [.a, .c], pending: [pause, skip]) == [])
    }

    @Test("only what was pressed before another device pressed is taken back")
    mutating func later() throws {
        let pause = log.pause(run, minutes(5))
        log.skip(run, 0, minutes(6), by: .b)
        let second = log.stop(run, minutes(7))
        #expect(try log.returns(at: minutes(8), pending: [pause, second]) == [.undo(pause.id)])
        #expect(try log.state(at: minutes(8)).history.map(\.endedAt) == [minutes(6), minutes(7)])
    }

    @Test("what another device pressed before the press that it would overtake takes nothing along")
    mutating func earlier() throws {
        let pause = log.pause(run, minutes(5))
        log.adjust(run, 0, seconds: 60, minutes(6), by: .b)
        let stop = log.stop(run, minutes(7))
        #expect(try log.returns(at: minutes(8), pending: [pause, stop]) == [])
    }

    @Test("what isn't pending any more is left alone")
    mutating func shared() throws {
        log.stop(run, minutes(5))
        log.skip(run, 0, minutes(6), by: .b)
        #expect(try log.returns(at: minutes(7)) == [])
    }

    @Test("what was taken back already isn't taken back twice, but what was put back is")
    mutating func once() throws {
        let pause = log.pause(run, minutes(3))
        let undo = log.undo(pause, minutes(4))
        log.skip(run, 0, minutes(6), by: .b)
        #expect(try log.returns(at: minutes(7), pending: [pause, undo]) == [])
        let redo = log.undo(undo, minutes(8))
        #expect(try log.returns(at: minutes(9), pending: [pause, undo, redo]) == [.undo(pause.id)])
        #expect(try log.state(at: minutes(9)).status == "running")
        #expect(try log.returns(at: minutes(10), pending: [pause, undo, redo]) == [])
    }

    @Test("a name for the work and a start are never taken back")
    mutating func kept() throws {
        let label = log.label(run, "Write", minutes(5))
        log.start(minutes(5), offline: true)
        let start = try #require(log.events.last)
        log.add(.label(start.run, text: "Read", at: nil), minutes(6), by: .b)
        log.label(run, "Read", minutes(6), by: .b)
        #expect(
            try log.returns(at: minutes(7), pending: [label, start]) == [.stop(start.run, at: nil)])
    }

    @Test("what was taken back comes back with a redo")
    mutating func redone() throws {
        let pending = log.pause(run, minutes(5))
        log.skip(run, 0, minutes(6), by: .b)
        try log.returns(at: minutes(7), pending: [pending])
        try log.press(.redo, minutes(8))
        let ends = try log.state(at: minutes(8)).history.map { $0.intervals.last?.to }
        #expect(ends == [minutes(5)])
    }
}

extension LogScript {
    /// Copies the script without one event.
    fileprivate init(_ script: LogScript, without event: Event) {
        self.init()
        for other in script.events where other != event {
            add(other.action, other.time, by: other.id.replica)
        }
    }
}
