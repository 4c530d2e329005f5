import FocusCore

/// The sync states of all replicas between a device and its server. The properties' cost is linear in the
/// number of replicas, which is at most `Limits.heads`.
struct ReplicaSyncStates {
    /// The device's version vector.
    var vector: VersionVector
    /// The states of the replicas that either side has or had.
    private(set) var all: [ReplicaID: ReplicaSyncState]

    /// Creates the states at the beginning of a session.
    ///
    /// - Parameters:
    ///   - vector: The device's version vector.
    ///   - welcome: The server's version vector in the welcome.
    init(_ vector: VersionVector, _ welcome: VersionVector) {
        self.vector = vector
        all = welcome.heads.mapValues { ReplicaSyncState($0) }
    }

    /// The state of a replica; nil if neither side is known to have had any of its events.
    subscript(replica: ReplicaID) -> ReplicaSyncState? {
        get { all[replica] }
        set { all[replica] = newValue }
    }

    /// The state of a replica; `state` if neither side is known to have had any of its events.
    subscript(replica: ReplicaID, default state: ReplicaSyncState) -> ReplicaSyncState {
        get { all[replica, default: state] }
        set { all[replica] = newValue }
    }

    /// Whether the device has what the welcome named. Stopped replicas don't count.
    var haveReachedWelcome: Bool { all.values.allSatisfy { $0.reachedWelcome } }

    /// Whether each replica is equal on both sides, as far as is known, or stopped.
    var areInSync: Bool {
        all.allSatisfy { $0.value.isInSync(vector[$0.key].seq) }
    }

    /// The number of the device's events that the server isn't known to have.
    var unacknowledged: UInt64 {
        vector.heads.reduce(0) { sum, entry in
            sum &+ entry.value.seq &- min(all[entry.key]?.commonSeq ?? 0, entry.value.seq)
        }
    }

    /// The earliest end of a stop; nil if no replica is stopped for a limited time.
    var nextRetry: SteadyInstant? { all.values.compactMap { $0.stop?.until }.min() }

    /// The last seq of each replica that the server is known to have.
    var serverSeqs: [ReplicaID: UInt64] { all.mapValues { max($0.commonSeq, $0.server.seq) } }

    /// Returns the replicas that are stopped in a way that satisfies `condition`, in order.
    func stopped(_ condition: (ReplicaSyncState.Stop) -> Bool) -> [ReplicaID] {
        all.filter { $0.value.stop.map(condition) ?? false }.keys.sorted()
    }

    /// Returns the replicas with different heads in `vector` and in `new`, in order. `new` is the device's new
    /// version vector.
    func changed(in new: VersionVector) -> [ReplicaID] {
        Set(new.heads.keys).union(vector.heads.keys).filter { new[$0] != vector[$0] }.sorted()
    }
}
