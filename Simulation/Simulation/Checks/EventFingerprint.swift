import FocusCore

/// The parts of an event that stay the same when the event, or its run, moves to another replica.
struct EventFingerprint: Hashable {
    let stamp: Stamp
    let label: String?

    init(_ event: Event) {
        stamp = event.stamp
        label =
            switch event.action {
            case .device(let name, _, _): name
            case .set(let key, let value): "\(key) \(value)"
            default: event.pressedLabel
            }
    }
}

extension Event {
    /// The label that the event gives to a session or a record, or nil if it gives none. Labels in worlds are
    /// numbered.
    var pressedLabel: String? {
        switch action {
        case .start(let start): start.label
        case .label(_, let text, _): text
        case .record(let record): record.label
        case .amend(let amend): amend.label
        case .split(let split): split.label
        default: nil
        }
    }
}
