import FocusCore
import FocusStore

/// The counts of a log's presses with a label. Labels in worlds are numbered, so only one person can have made
/// such a press.
struct LabelledPressCounts {
    private(set) var counts: [EventFingerprint: Int] = [:]

    mutating func add(_ event: Event) {
        if event.pressedLabel != nil { counts[EventFingerprint(event), default: 0] += 1 }
    }
}

extension World {
    /// Checks that no press is in the group's log twice. It is skipped if clones of a laptop may have
    /// re-authored the same press, if a server that lost data may hold both a tail and its branch, or if a
    /// lie of the host about a replica's events may have made laptops move tails.
    ///
    /// - Parameter found: The presses in the group's log.
    func checkDuplicatePresses(of group: Int, _ found: LabelledPressCounts) {
        guard !plan.hasForgetfulServer, !server.everDeleted,
            !laptops.contains(where: { $0.group == group && $0.hasReauthored }),
            host?.hasLiedAboutEvents != true
        else { return }
        var made = LabelledPressCounts()
        for entry in ledger.entries where entry.group == group { made.add(entry.event) }
        for (fingerprint, count) in found.counts {
            guard let madeCount = made.counts[fingerprint], count > madeCount else { continue }
            require(false, "no press is there twice") {
                "\(fingerprint.label ?? "") of \(fingerprint.stamp.time.milliseconds) is there \(count) times"
            }
        }
    }
}

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
