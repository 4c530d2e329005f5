package import FocusCore

/// The replicas of the rows that a connection wrote most recently. A write may have been rolled back, so
/// callers read the rows again.
struct WrittenReplicas {
    /// The latest replicas, in the order of the writes.
    private var last: [ReplicaID] = []
    /// The number of earlier replicas that `last` no longer has.
    private var dropped = 0

    /// At least this many replicas are kept, and at most twice as many.
    private static let limit = 1_024

    /// The number of replicas that have been appended.
    var count: Int { dropped + last.count }

    /// Appends a replica after its row was written.
    mutating func append(_ replica: ReplicaID) {
        if last.count == 2 * WrittenReplicas.limit {
            last.removeFirst(WrittenReplicas.limit)
            dropped += WrittenReplicas.limit
        }
        last.append(replica)
    }

    /// Forgets all replicas, because any row may have changed.
    mutating func forget() {
        dropped = count + 1
        last = []
    }

    /// Returns the replicas from index `first` to before index `end`; nil if they aren't all kept any more.
    func between(_ first: Int, _ end: Int) -> Set<ReplicaID>? {
        guard first >= dropped, end >= first, end <= count else { return nil }
        return Set(last[(first - dropped)..<(end - dropped)])
    }
}

/// A point in the sequence of writes to the replicas' rows.
package struct ReplicaMark: Hashable, Sendable {
    /// The value of `DeviceStore.changeCount` at that point.
    fileprivate let changes: Int64
    /// The value of `WrittenReplicas.count` at that point.
    fileprivate let written: Int
}

extension DeviceStore {
    /// Returns a mark for the rows as they are now. Get it before reading the rows, so that a change during
    /// the read counts as a later one.
    package func replicaMark() throws(StoreError) -> ReplicaMark {
        ReplicaMark(changes: try changeCount(), written: written.count)
    }

    /// Returns the replicas of the rows that this connection has written between two marks; some rows may not
    /// have changed. Nil if another connection has written in between, or if too many rows were written.
    package func replicasWritten(since mark: ReplicaMark, until end: ReplicaMark) -> Set<ReplicaID>? {
        mark.changes == end.changes ? written.between(mark.written, end.written) : nil
    }
}
