import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks that each group with uploads at the writer soon gets its turn, even if other groups have handed in
/// much.
struct WaitingGroups {
    /// The number of a group's uploads at the writer, and the number of batches since one of its requests was
    /// handled.
    private var groups: [GroupID: (uploads: Int, batches: Int)] = [:]
    private var owners: [ConnectionID: GroupID] = [:]

    /// The greatest number of batches that a group may wait. A batch has room for some groups' turns, and
    /// ends early after a long upload.
    static let patience = 5

    /// Notes requests that are handed in.
    mutating func note(_ requests: [WriterRequest]) {
        for request in requests {
            guard let (group, connection) = request.place else { continue }
            owners[connection] = group
            guard case .member(let asked) = request, case .merge = asked.asked else { continue }
            groups[group, default: (0, 0)].uploads += 1
        }
    }

    /// Notes the results of a batch. Requests in a deleted group aren't answered, because its connections
    /// end.
    ///
    /// - Parameter logs: The existing groups.
    /// - Returns: Whether each group has waited for at most `patience` batches.
    mutating func served(_ outcomes: [WriterOutcome], of logs: [GroupID: GroupIndex]) -> Bool {
        var served: Set<GroupID> = []
        for outcome in outcomes {
            switch outcome {
            case .merged(_, _, _, let connection), .ended(_, let connection):
                guard let group = owners[connection] else { continue }
                served.insert(group)
                groups[group]?.uploads -= 1
            case .answered(.handled, let connection):
                guard let group = owners[connection] else { continue }
                served.insert(group)
            default: continue
            }
        }
        groups = groups.filter { $0.value.uploads > 0 && logs[$0.key] != nil }
        for group in groups.keys { groups[group]?.batches += 1 }
        for group in served { groups[group]?.batches = 0 }
        return groups.allSatisfy { $0.value.batches <= WaitingGroups.patience }
    }
}
