import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 4. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, a setting changed while away")
struct OvertakenSettingTests {
    private var log = LogScript()

    private let run = RunID(stamp: .zero, replica: .b)

    init() { log.start(0, by: .b) }

    @Test(
        "is set anew where others have begun or pressed something since",
        arguments: [
            .start(.init()), .pause(RunID(stamp: .zero, replica: .b), at: nil),
            .skip(RunID(stamp: .zero, replica: .b), ordinal: 0, at: nil),
        ] as [Action])
    mutating func anew(others: Action) throws {
        let pending = log.set("workLength", 3000, minutes(1))
        log.add(others, minutes(2), by: .b)
        #expect(
            try log.returns(at: minutes(3), pending: [pending])
                == [.undo(pending.id), .set(key: "workLength", value: 3000)])
        #expect(try log.replayed().settings[.workLength] == 3000)
    }

    @Test(
        "is left as it is where what others wrote since changed nothing of a session",
        arguments: [
            .device(name: "desk", key: nil), .set(key: "dailyGoal", value: 3), .unknown(.encoded([200])),
            .label(RunID(stamp: .zero, replica: .b), text: "Write", at: nil),
            .resume(RunID(stamp: .zero, replica: .b), at: nil),
            .record(
                .init(
                    activity: "work", startedAt: 0, endedAt: 60_000, outcome: "completed", label: "",
                    source: "x")),
        ] as [Action])
    mutating func left(others: Action) throws {
        let pending = log.set("workLength", 3000, minutes(1))
        log.add(others, minutes(2), by: .b)
        #expect(try log.returns(at: minutes(3), pending: [pending]) == [])
    }

    @Test("gives way to what others have set the key to since")
    mutating func givesWay() throws {
        let pending = log.set("workLength", 3000, minutes(1))
        log.set("workLength", 600, minutes(2), by: .b)
        #expect(try log.returns(at: minutes(3), pending: [pending]) == [.undo(pending.id)])
        #expect(try log.replayed().settings[.workLength] == 600)
    }

    @Test("takes effect now, and not in the others' past")
    mutating func now() throws {
        log.stop(run, seconds(1), by: .b)
        let pending = log.set("workLength", 3000, minutes(1))
        log.start(minutes(2), by: .b)
        #expect(try log.state(at: minutes(3)).endsAt == minutes(52))
        try log.returns(at: minutes(3), pending: [pending])
        #expect(try log.state(at: minutes(3)).endsAt == minutes(27))
    }

    @Test("is left as it is where nobody else's events are newer")
    mutating func newest() throws {
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
}
