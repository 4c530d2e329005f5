package import FocusCore

/// The replicas whose rows a connection has written, the last ones of them: what came of that, or was rolled back, is
/// looked up.
struct WrittenReplicas {
    private var last: [ReplicaID] = []
    /// How many came before those.
    private var dropped = 0

    /// So many are kept at least, and twice as many at most.
    private static let limit = 1_024

    /// How many there have been.
    var count: Int { dropped + last.count }

    /// A replica's row was written.
    mutating func append(_ replica: ReplicaID) {
        if last.count == 2 * WrittenReplicas.limit {
            last.removeFirst(WrittenReplicas.limit)
            dropped += WrittenReplicas.limit
        }
        last.append(replica)
    }

    /// All rows may be others now.
    mutating func forget() {
        dropped = count + 1
        last = []
    }

    /// Those after the first so many, up to so many; nil where that isn't known any more.
    func between(_ first: Int, _ end: Int) -> Set<ReplicaID>? {
        guard first >= dropped, end >= first, end <= count else { return nil }
        return Set(last[(first - dropped)..<(end - dropped)])
    }
}

/// Where the rows of a store's replicas stood as they were looked at.
package struct ReplicaMark: Hashable, Sendable {
    /// What `DeviceStore.changeCount` was.
    fileprivate let changes: Int64
    fileprivate let written: Int
}

extension DeviceStore {
    /// Where the replicas' rows stand now. To be asked before they are read: what changes in between counts as changed
    /// since.
    package func replicaMark() throws(StoreError) -> ReplicaMark {
        ReplicaMark(changes: try changeCount(), written: written.count)
    }

    /// The replicas whose rows this connection has written between two marks, which may be more than have changed; nil
    /// where another connection has written something in between, or too much was.
    package func replicasWritten(since mark: ReplicaMark, until end: ReplicaMark) -> Set<ReplicaID>? {
        mark.changes == end.changes ? written.between(mark.written, end.written) : nil
    }
}
