import FocusCore
import TestSupport

/// A log of one replica with every kind of action. Each action refers to other events of that replica, if it
/// can.
struct EachAction {
    private(set) var events: [Event]

    /// The kinds of action that the log has.
    var kinds: Set<Int> { Set(events.map { EachAction.kind(of: $0.action) }) }

    /// The number of kinds of action. A new kind must be counted here and written in the log.
    static let kindCount = 21

    /// A number for each kind of action.
    static func kind(of action: Action) -> Int {
        switch action {
        case .start: 0
        case .pause: 1
        case .resume: 2
        case .stop: 3
        case .skip: 4
        case .adjust: 5
        case .label: 6
        case .adopt: 7
        case .set: 8
        case .device: 9
        case .record: 10
        case .amend: 11
        case .retime: 12
        case .split: 13
        case .undo: 14
        case .revoke: 15
        case .readmit: 16
        case .unknown: 17
        case .complete: 18
        case .rest: 19
        case .profile: 20
        }
    }

    /// Writes the log as `replica`, from minute 1 to minute 45.
    init(by replica: ReplicaID) {
        var log = LogScript()
        func fact(_ label: String, _ source: String) -> Action {
            .record(
                Action.Record(
                    activity: "work", startedAt: minutes(1), endedAt: minutes(9), outcome: "stopped",
                    label: label, source: source))
        }
        log.add(.device(name: "b", key: nil), minutes(1), by: replica)
        let first = log.start(minutes(10), by: replica, label: "first")
        log.stop(first, minutes(12), by: replica)
        let run = log.start(minutes(13), by: replica, label: "second", after: first)
        log.pause(run, minutes(14), by: replica, at: minutes(14))
        log.resume(run, minutes(15), by: replica, at: minutes(15))
        log.adjust(run, 0, seconds: 60, minutes(16), by: replica, at: minutes(16))
        log.label(run, "named", minutes(17), by: replica, at: minutes(17))
        log.skip(run, 0, minutes(18), by: replica, at: minutes(18))
        log.add(.complete(run, ordinal: 1, at: minutes(18)), minutes(19), by: replica)
        log.add(.rest(run, ordinal: 1, at: minutes(18)), minutes(19), by: replica)
        log.add(.adopt(run), minutes(19), by: replica)
        let set = log.set("dailyGoal", 3, minutes(20), by: replica)
        log.undo(set, minutes(21), by: replica)
        log.add(.profile(name: "deep", PhaseLengths(Settings())), minutes(21), by: replica)
        log.stop(run, minutes(22), by: replica, at: minutes(22))
        let hand = log.add(fact("hand", Action.Record.byHand(1)), minutes(23), by: replica)
        log.add(fact("kept", Action.Record.whileOffline), minutes(24), by: replica)
        log.add(fact("imported", "csv/1"), minutes(25), by: replica)
        let split = log.add(
            .split(.init(run: hand.run, ordinal: 0, instant: minutes(5), label: "half")), minutes(26),
            by: replica)
        log.add(.amend(.init(run: split.run, ordinal: 0, label: "rest")), minutes(27), by: replica)
        log.add(
            .retime(
                .init(
                    run: first, ordinal: 0, startedAt: minutes(10), endedAt: minutes(11), shift: .zero)),
            minutes(28), by: replica)
        log.add(.revoke(Digest(InlineArray(repeating: 7))), minutes(29), by: replica)
        log.add(.readmit(Digest(InlineArray(repeating: 7))), minutes(30), by: replica)
        log.add(.unknown(.encoded([0xFE, 1])), minutes(40), by: replica)
        events = log.events
    }
}
