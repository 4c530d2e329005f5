import FocusCore
import TestSupport
import Testing

@Suite struct ReferenceTests {
    private let run = RunID(stamp: Stamp(rawValue: 1), replica: .a)
    private let other = RunID(stamp: Stamp(rawValue: 2), replica: .b)

    private func actions(_ run: RunID, _ target: EventID, at: SharedInstant?) -> [Action] {
        [
            .start(.init(label: "l", after: run, offline: true, at: at)), .pause(run, at: at),
            .resume(run, at: at), .stop(run, at: at), .skip(run, ordinal: 1, at: at),
            .adjust(run, ordinal: 1, seconds: 60, at: at), .label(run, text: "t", at: at), .adopt(run),
            .set(key: "k", value: 1), .device(name: "n", key: nil),
            .record(
                .init(
                    activity: "work", startedAt: 1, endedAt: 2, outcome: "completed", label: "", source: "s")),
            .amend(.init(run: run, ordinal: 0, label: "l", removed: nil)), .undo(target),
            .retime(.init(run: run, ordinal: 0, startedAt: 1, endedAt: 2, shift: 3)),
            .split(.init(run: run, ordinal: 0, instant: 1, label: "l")),
            .unknown(.encoded([200])),
        ]
    }

    @Test("every action's runs and targets are mapped, and nothing else of it changes")
    func mapped() {
        let from = EventID(replica: .a, seq: 1)
        let to = EventID(replica: .b, seq: 9)
        let mapped = actions(run, from, at: 5).map { action in
            action.mapping(run: { $0 == run ? other : $0 }, event: { $0 == from ? to : $0 })
        }
        #expect(mapped == actions(other, to, at: 5))
    }

    @Test("every action's instant is mapped where it has one")
    func instants() {
        let target = EventID(replica: .a, seq: 1)
        #expect(actions(run, target, at: 5).map { $0.mapping(at: { $0 + 1 }) } == actions(run, target, at: 6))
        #expect(
            actions(run, target, at: nil).map { $0.mapping(at: { $0 + 1 }) } == actions(run, target, at: nil))
    }

    @Test("the run an action names is the one that is mapped")
    func named() {
        for action in actions(run, EventID(replica: .a, seq: 1), at: nil) {
            let mapped = action.mapping(run: { _ in other }, event: { $0 })
            #expect((action.namedRun == run) == (mapped != action))
        }
    }
}
