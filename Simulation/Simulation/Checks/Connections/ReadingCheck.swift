import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// What the reader reads at once, and for whom (docs/architecture.md, "Turns").
struct ReadingCheck {
    /// What a connection waits for.
    private struct Waiting {
        let group: GroupID
        var readings = 0
        var questions = 0
    }

    /// How many answers there are that the network's thread hasn't taken.
    private var ahead = 0
    private var ended: Set<ConnectionID> = []
    private var waiting: [ConnectionID: Waiting] = [:]
    /// How much each group was read since another one began to wait, which is named first.
    private var passed: [GroupID: [GroupID: Int]] = [:]

    /// A few slices.
    private static let fewAnswers = 6
    /// What a group may be read before another one that waits: a turn and what one reading goes beyond it, twice over.
    private static let turns = 4 * Limits.read

    /// The reader comes to this.
    mutating func note(_ request: ReaderRequest) {
        switch request {
        case .events(_, _, _, let name, let connection), .epochs(_, _, let name, let connection):
            waiting[connection, default: Waiting(group: name.group)].readings += 1
            if passed[name.group] == nil { passed[name.group] = [:] }
        case .chains(_, _, let name, let connection):
            waiting[connection, default: Waiting(group: name.group)].questions += 1
        case .taken(let count): ahead = max(0, ahead - count)
        case .ended(let connection):
            ended.insert(connection)
            let group = waiting.removeValue(forKey: connection)?.group
            group.map { look(at: $0) }
        case .groups, .orders: break
        }
    }

    /// It has found this.
    ///
    /// - Returns: what of it is against the rules; nil where nothing is.
    mutating func note(_ answer: ReaderAnswer) -> String? {
        ahead += 1
        guard ahead <= ReadingCheck.fewAnswers else { return "\(ahead) answers that nobody has taken" }
        switch answer {
        case .events(_, let segment, _, let connection):
            return read(segment?.packed.count ?? 0, last: 0, connection)
        case .epochs(let records, _, let connection):
            let sizes = records.map(\.body.count)
            return read(sizes.reduce(0, +), last: sizes.last ?? 0, connection)
        case .chains(_, _, let connection):
            waiting[connection]?.questions -= 1
            (waiting[connection]?.group).map { look(at: $0) }
            return trouble(connection)
        case .failed(let connection):
            let group = waiting.removeValue(forKey: connection)?.group
            group.map { look(at: $0) }
            return trouble(connection)
        case .groups, .orders: return nil
        }
    }

    private func trouble(_ connection: ConnectionID) -> String? {
        ended.contains(connection) ? "something for a connection that has ended" : nil
    }

    private mutating func read(_ bytes: Int, last: Int, _ connection: ConnectionID) -> String? {
        if let trouble = trouble(connection) { return trouble }
        // A record is read whole.
        guard bytes - last <= Limits.read else { return "\(bytes) bytes at once" }
        waiting[connection]?.readings -= 1
        guard let group = waiting[connection]?.group else { return nil }
        for other in passed.keys where other != group {
            passed[other]?[group, default: 0] += bytes
            if let bytes = passed[other]?[group], bytes > ReadingCheck.turns, !asks(other) {
                return "\(bytes) bytes for one group while another waits"
            }
        }
        look(at: group)
        return nil
    }

    /// Whether a group has questions, which aren't seen to be read until they are answered.
    private func asks(_ group: GroupID) -> Bool {
        waiting.values.contains { $0.group == group && $0.questions > 0 }
    }

    /// A group had its turn, or waits for less: from now on it waits anew, where it still does.
    private mutating func look(at group: GroupID) {
        let waits = waiting.values.contains { $0.group == group && $0.readings > 0 }
        passed[group] = waits ? [:] : nil
    }
}
