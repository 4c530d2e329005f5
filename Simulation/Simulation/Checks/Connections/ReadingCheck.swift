import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks how much the reader reads at once, and for which groups (docs/architecture.md, "Turns").
struct ReadingCheck {
    /// The numbers of unanswered requests of a connection: reads of events or epochs, and questions about
    /// chains.
    private struct Waiting {
        let group: GroupID
        var readings = 0
        var questions = 0
    }

    /// The number of answers that the network's thread hasn't taken yet.
    private var ahead = 0
    private var ended: Set<ConnectionID> = []
    private var waiting: [ConnectionID: Waiting] = [:]
    /// For each waiting group, the bytes read for each other group since it began to wait.
    private var passed: [GroupID: [GroupID: Int]] = [:]

    /// The greatest number of slices that the reader may be ahead.
    private static let fewAnswers = 6
    /// The most bytes that may be read for one group while another waits: two turns. Each turn may exceed its
    /// limit by one read of `Limits.read` bytes.
    private static let turns = 4 * Limits.read

    /// Notes a request that the reader begins to handle.
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

    /// Checks an answer of the reader.
    ///
    /// - Returns: The breach, or nil if there is none.
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
        // A record is read as a whole, so the last one may exceed the limit.
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

    /// Whether a group has waiting requests for chains. The reader's work on them isn't visible before the
    /// answer.
    private func asks(_ group: GroupID) -> Bool {
        waiting.values.contains { $0.group == group && $0.questions > 0 }
    }

    /// Restarts the count of the group's wait if the group still waits; otherwise ends it.
    private mutating func look(at group: GroupID) {
        let waits = waiting.values.contains { $0.group == group && $0.readings > 0 }
        passed[group] = waits ? [:] : nil
    }
}
