import FocusCore
import FocusServerStore

/// One head of each of some replicas, somewhere below its last, that the store is known to have: the last one that was
/// found there. Who sends a log again from its beginning has each upload follow on from the one before it, which
/// needn't be hashed once more for that.
struct KnownHeads {
    private struct Key: Hashable {
        /// The group's, which is never used again.
        let number: Int64
        let replica: ReplicaID
    }

    private var heads: [Key: Head] = [:]

    /// So many are kept.
    private static let limit = 4_096

    subscript(replica: ReplicaID, in group: GroupIndex.Name) -> Head? {
        get { heads[Key(number: group.number, replica: replica)] }
        set {
            if heads.count >= KnownHeads.limit { heads = [:] }
            heads[Key(number: group.number, replica: replica)] = newValue
        }
    }
}
