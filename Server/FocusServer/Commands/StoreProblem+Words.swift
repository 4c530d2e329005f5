import FocusCore
import FocusServerStore

extension StoreProblem {
    /// What is wrong, as `focusd verify` says it.
    var sentence: String {
        switch self {
        case .file(let problem): problem
        case .row(let damage): "A row can't be read: \(damage)."
        case .strayRows(let table, let count):
            "The table \(table) has \(count) rows of a group that isn't there."
        case .miscounted(let group, let counts, let rows):
            "Group \(group.short): by its counts it has \(counts.words), by its rows \(rows.words)."
        case .events(let group, let replica, let seq, let fault):
            "Group \(group.short), replica \(hexadecimal(replica.rawValue)), from event \(seq) on: \(fault.words)."
        }
    }
}

extension StoreProblem.Fault {
    fileprivate var words: String {
        switch self {
        case .missing(let first, let last): "the events from \(first) to \(last) are missing"
        case .doubled: "the events are there twice"
        case .unreadable: "the events can't be told apart"
        case .count(let count, let stored): "there are \(count) events and not \(stored)"
        case .unchained: "they don't follow the one before"
        case .stamp(let seq): "the stamp of event \(seq) doesn't rise"
        case .unknownEpoch(let seq, let epoch):
            "the epoch of event \(seq), \(hexadecimal(epoch.rawValue)), isn't there"
        case .changed: "they are not what was acknowledged: their chain is another"
        }
    }
}

extension RosterSize {
    fileprivate var words: String {
        "\(proved) devices that proved themselves (\(provedRevoked) revoked) and \(listed) that are listed (\(listedRevoked) revoked)"
    }
}
