import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rules 2 and 3. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, what others have overtaken")
struct OvertakenTests {
    private static let run = RunID(stamp: .zero, replica: .b)

    static let takeable: [Action] = [
        .pause(run, at: nil), .resume(run, at: nil), .stop(run, at: nil), .skip(run, ordinal: 0, at: nil),
        .adjust(run, ordinal: 0, seconds: 60, at: nil),
    ]

    private let run = OvertakenTests.run
    private var log = LogScript()

    init() { log.start(0, by: .b) }

    @Test(
        "a pending press is taken back where another device has pressed on the run since", arguments: takeable
    )
    mutating func takenBack(press: Action) throws {
        let pending = log.add(press, minutes(5))
        log.label(run, "Write", minutes(6), by: .b)
        let before = try LogScript(log, without: pending).state(at: minutes(7))
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [.undo(pending.id)])
        let state = try log.state(at: minutes(7))
        #expect(state.run == before.run)
        #expect(state.endsAt == before.endsAt)
        #expect(state.history == before.history)
    }

    @Test(
        "whatever names the run counts as pressing on it",
        arguments: takeable + [.label(run, text: "Read", at: nil), .adopt(run)])
    mutating func counts(others: Action) throws {
        let pending = log.pause(run, minutes(5))
        log.add(others, minutes(6), by: .c)
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [.undo(pending.id)])
    }

    @Test("a press counts from when it was made where nobody pressed since", arguments: takeable)
    mutating func nobody(press: Action) throws {
        log.label(run, "Write", minutes(4), by: .b)
        let pending = log.add(press, minutes(5))
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [])
    }

    @Test("a press of the very same stamp is no later one")
    mutating func sameStamp() throws {
        let pending = log.pause(run, minutes(5))
        log.label(run, "Write", minutes(5), by: .b)
        #expect(try log.returns(at: minutes(7), pending: [pending]) == [])
    }

    @Test("a press on another run, a start after this one, an undo and an amend are no presses on it")
    mutating func elsewhere() throws {
        let pending = log.pause(run, minutes(5))
        let other = log.start(minutes(6), by: .b, after: run)
        let label = log.label(other, "Read", minutes(7), by: .b)
        log.undo(label, minutes(8), by: .b)
        log.add(.amend(.init(run: run, ordinal: 0, label: "Write")), minutes(9), by: .b)
        #expect(try log.returns(at: minutes(10), pending: [pending]) == [])
    }

    @Test("the device's own later presses on the run overtake nothing, under whatever replica")
    mutating func own() throws {
        let pause = log.pause(run, minutes(5))
        let resume = log.resume(run, minutes(6), by: .c)
        log.label(run, "Write", minutes(7))
        #expect(try log.returns(at: minutes(8), own: [.a, .c], pending: [pause, resume]) == [])
    }

    @Test("only what was pressed before another device pressed is taken back")
    mutating func later() throws {
        let pause = log.pause(run, minutes(5))
        log.label(run, "Write", minutes(6), by: .b)
        let second = log.pause(run, minutes(7))
        #expect(try log.returns(at: minutes(8), pending: [pause, second]) == [.undo(pause.id)])
        #expect(try log.state(at: minutes(8)).remainingMs == minutes(18))
    }

    @Test("what isn't pending any more is left alone")
    mutating func shared() throws {
        log.pause(run, minutes(5))
        log.label(run, "Write", minutes(6), by: .b)
        #expect(try log.returns(at: minutes(7)) == [])
    }

    @Test("what was taken back already isn't taken back twice, but what was put back is")
    mutating func once() throws {
        let pause = log.pause(run, minutes(3))
        let undo = log.undo(pause, minutes(4))
        log.label(run, "Write", minutes(6), by: .b)
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
        log.label(run, "Write", minutes(6), by: .b)
        try log.returns(at: minutes(7), pending: [pending])
        try log.press(.redo, minutes(8))
        #expect(try log.state(at: minutes(8)).status == "paused")
    }
}

extension LogScript {
    /// The script as if one event had never been written.
    fileprivate init(_ script: LogScript, without event: Event) {
        self.init()
        for other in script.events where other != event {
            add(other.action, other.time, by: other.id.replica)
        }
    }
}

/// docs/timer-rules.md §5, rule 3. The device that returns is replica a.
@Suite("On returning, a setting changed while away")
struct OvertakenSettingTests {
    private var log = LogScript()

    @Test(
        "is set anew where another device's events are newer, whatever they say",
        arguments: [
            .device(name: "desk", key: nil), .set(key: "dailyGoal", value: 3), .unknown(.encoded([200])),
            .start(.init()),
        ] as [Action])
    mutating func anew(others: Action) throws {
        let pending = log.set("workLength", 3000, minutes(1))
        log.add(others, minutes(2), by: .b)
        #expect(
            try log.returns(at: minutes(3), pending: [pending])
                == [.undo(pending.id), .set(key: "workLength", value: 3000)])
        #expect(try log.replayed().settings[.workLength] == 3000)
    }

    @Test("takes effect now, and not in the others' past")
    mutating func now() throws {
        let pending = log.set("workLength", 3000, minutes(1))
        log.start(minutes(2), by: .b)
        #expect(try log.state(at: minutes(3)).endsAt == minutes(52))
        try log.returns(at: minutes(3), pending: [pending])
        #expect(try log.state(at: minutes(3)).endsAt == minutes(27))
    }

    @Test("is left as it is where nobody else's events are newer")
    mutating func newest() throws {
        log.start(0, by: .b)
        let pending = log.set("workLength", 3000, minutes(1))
        log.add(.device(name: "desk", key: nil), minutes(2))
        log.add(.device(name: "desk", key: nil), minutes(2), by: .c)
        #expect(try log.returns(at: minutes(3), own: [.a, .c], pending: [pending]) == [])
    }

    @Test("is set anew to what it was set to last, key by key")
    mutating func last() throws {
        let pending = [
            log.set("workLength", 600, minutes(1)), log.set("dailyGoal", 3, minutes(2)),
            log.set("workLength", 1200, minutes(3)),
        ]
        log.start(minutes(4), by: .b)
        #expect(
            try log.returns(at: minutes(5), pending: pending) == pending.map { .undo($0.id) } + [
                .set(key: "dailyGoal", value: 3), .set(key: "workLength", value: 1200),
            ])
    }

    @Test("doesn't come back over a later change of the same key that stands")
    mutating func overLater() throws {
        let early = log.set("workLength", 600, minutes(1))
        log.start(minutes(2), by: .b)
        let late = log.set("workLength", 1200, minutes(3))
        #expect(try log.returns(at: minutes(4), pending: [early, late]) == [.undo(early.id)])
        #expect(try log.replayed().settings[.workLength] == 1200)
    }

    @Test("isn't set anew where it was taken back already")
    mutating func takenBack() throws {
        let pending = log.set("workLength", 600, minutes(1))
        let undo = log.undo(pending, minutes(2))
        log.start(minutes(3), by: .b)
        #expect(try log.returns(at: minutes(4), pending: [pending, undo]) == [])
    }
}
