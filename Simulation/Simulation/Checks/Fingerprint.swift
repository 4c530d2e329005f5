import FocusCore

/// What stays of an event where its replica gets another name, or its run does.
struct Fingerprint: Hashable {
    let stamp: Stamp
    let label: String?

    init(_ event: Event) {
        stamp = event.stamp
        label =
            switch event.action {
            case .start(let start): start.label
            case .label(_, let text, _): text
            case .record(let record): record.label
            case .amend(let amend): amend.label
            case .split(let split): split.label
            case .device(let name, _, _): name
            case .set(let key, let value): "\(key) \(value)"
            default: nil
            }
    }
}
