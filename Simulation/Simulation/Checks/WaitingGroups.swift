import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Which groups wait for the writer with uploads, and for how many batches: whatever others have handed in, a group has
/// its turn soon.
struct WaitingGroups {
    /// How many uploads of a group are with the writer, and how many batches it has waited since anything that it asked
    /// for was done.
    private var groups: [GroupID: (uploads: Int, batches: Int)] = [:]
    private var owners: [ConnectionID: GroupID] = [:]

    /// A batch has room for some groups' turns, and ends early where one upload is long.
    static let patience = 5

    /// These are handed in.
    mutating func note(_ requests: [WriterRequest]) {
        for request in requests {
            guard let (group, connection) = request.place else { continue }
            owners[connection] = group
            guard case .member(let asked) = request, case .merge = asked.asked else { continue }
            groups[group, default: (0, 0)].uploads += 1
        }
    }

    /// A batch came to this. Of a group that was taken off the server nothing is answered: its connections end.
    ///
    /// - Parameter logs: the groups that are there.
    /// - Returns: whether nobody has waited for too many.
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
