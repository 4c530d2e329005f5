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
    private static let done = Action.complete(run, ordinal: 0, at: nil)
    private static let rest = Action.rest(run, ordinal: 0, at: nil)
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
        Pair(pause, done, true), Pair(pause, rest, true), Pair(stop, done, true), Pair(stop, rest, true),
        Pair(skip, done, false), Pair(done, skip, false), Pair(done, rest, false), Pair(rest, done, false),
        Pair(done, pause, false), Pair(more, done, false),
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

    @Test(
        "what changed nothing, was taken back, has the same stamp, isn't a press on the session or is the device's own overtakes nothing",
        arguments: [
            { $0.resume(run, minutes(6), by: .b) }, { $0.skip(run, 3, minutes(6), by: .b) },
            { $0.undo($0.adjust(run, 0, seconds: 60, minutes(6), by: .b), minutes(7), by: .b) },
            { $0.skip(run, 0, minutes(5), by: .b) },
            {
                let other = $0.start(minutes(6), by: .b, after: run)
                $0.undo($0.skip(other, 0, minutes(7), by: .b), minutes(8), by: .b)
            },
            { $0.add(.amend(.init(run: run, ordinal: 0, label: "Write")), minutes(6), by: .b) },
            { $0.skip(run, 0, minutes(6), by: .c) },
        ] as [@Sendable (inout LogScript) -> Void])
    mutating func harmless(press: @Sendable (inout LogScript) -> Void) throws {
        let pending = log.stop(run, minutes(5))
        press(&log)
        #expect(try log.returns(at: minutes(10), own: [.a, .c], pending: [pending]) == [])
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
