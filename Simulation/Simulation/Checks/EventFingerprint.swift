import FocusCore

/// What stays of an event where its replica gets another name, or its run does.
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
    /// The label that it gives a session or a record, if it is one that can. In worlds these are numbered.
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
