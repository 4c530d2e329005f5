import FocusCore

/// The standings of all replicas between a device and its server, with totals that the session needs often.
///
/// A message is about one replica, and a group may have thousands, many of them made by an attacker. So every
/// change of a standing, or of the device's head of a replica, goes through this type, which updates the
/// totals. A method that visits all replicas says so; call it only if all may have changed.
struct ReplicaSyncStates {
    /// The device's version vector.
    private(set) var vector: VersionVector
    /// The replicas that either side has or had.
    private(set) var all: [ReplicaID: ReplicaSyncState]
    /// The replicas that haven't reached the welcome's heads, as of the last `dropCaughtUp`.
    private(set) var behind: Set<ReplicaID>
    /// The replicas of `behind` that have changed since the last `dropCaughtUp`.
    private var touched: [ReplicaID]
    /// The number of replicas that differ between the two sides, as far as is known, and aren't stopped.
    private(set) var unsettled = 0
    /// The number of the device's events that the server isn't known to have.
    private(set) var unacknowledged: UInt64 = 0
    /// The ends of the stops that last for a limited time.
    private(set) var stops = Deadlines<ReplicaID>()
    /// The replicas that are stopped because the server lacks an epoch's record.
    private(set) var lacking: Set<ReplicaID> = []
    /// The number of standings that were read or changed, for tests.
    private(set) var looks = 0

    /// Creates the standings at the beginning of a session.
    ///
    /// - Parameters:
    ///   - vector: The device's version vector.
    ///   - welcome: The server's version vector in the welcome.
    init(_ vector: VersionVector, _ welcome: VersionVector) {
        self.vector = vector
        all = welcome.heads.mapValues { ReplicaSyncState($0) }
        behind = Set(welcome.heads.keys)
        touched = Array(welcome.heads.keys)
        for (replica, standing) in all {
            replace(Share.none, with: Share(standing, vector[replica].seq), of: replica)
        }
        for (replica, head) in vector.heads where all[replica] == nil {
            replace(Share.none, with: Share(nil, head.seq), of: replica)
        }
    }

    /// The standing of a replica; nil if neither side is known to have had any of its events.
    subscript(replica: ReplicaID) -> ReplicaSyncState? {
        get { all[replica] }
        set {
            let seq = vector[replica].seq
            let share = Share(all[replica], seq)
            all[replica] = newValue
            replace(share, with: Share(newValue, seq), of: replica)
        }
    }

    /// The standing of a replica; `standing` if neither side is known to have had any of its events.
    subscript(replica: ReplicaID, default standing: ReplicaSyncState) -> ReplicaSyncState {
        get { self[replica] ?? standing }
        set { self[replica] = newValue }
    }

    /// Sets the device's head of a replica.
    mutating func setHead(_ head: Head, of replica: ReplicaID) {
        let standing = all[replica]
        let share = Share(standing, vector[replica].seq)
        vector[replica] = head
        replace(share, with: Share(standing, head.seq), of: replica)
    }
}

// MARK: - Shares

extension ReplicaSyncStates {
    /// The part of one replica in the totals.
    fileprivate struct Share: Hashable {
        var isUnsettled = false
        var unacknowledged: UInt64 = 0
        /// The end of the replica's stop, or nil if it isn't stopped for a limited time.
        var until: SteadyInstant?
        var lacksEpoch = false

        static let none = Share()
    }

    /// Replaces the part of a replica in the totals.
    private mutating func replace(_ share: Share, with next: Share, of replica: ReplicaID) {
        looks += 1
        if !behind.isEmpty, behind.contains(replica) { touched.append(replica) }
        if next.isUnsettled != share.isUnsettled { unsettled += next.isUnsettled ? 1 : -1 }
        unacknowledged = unacknowledged &- share.unacknowledged &+ next.unacknowledged
        if next.until != share.until { stops[replica] = next.until }
        guard next.lacksEpoch != share.lacksEpoch else { return }
        if next.lacksEpoch { lacking.insert(replica) } else { lacking.remove(replica) }
    }
}

extension ReplicaSyncStates.Share {
    /// - Parameter seq: The device's last seq of the replica.
    fileprivate init(_ standing: ReplicaSyncState?, _ seq: UInt64) {
        unacknowledged = seq - min(standing?.commonSeq ?? 0, seq)
        guard let standing else { return }
        isUnsettled = !standing.isInSync(seq)
        if case .stopped(let stop) = standing.work {
            until = stop.until
            lacksEpoch = stop.lacksEpoch
        }
    }
}

// MARK: - Queries

extension ReplicaSyncStates {
    /// Removes the replicas from `behind` that have reached the welcome's heads. Visits only the replicas
    /// changed since the last call.
    mutating func dropCaughtUp() {
        for replica in touched {
            looks += 1
            if all[replica]?.reachedWelcome ?? true { behind.remove(replica) }
        }
        touched = []
    }

    /// Returns the replicas with a stop that ends by `now`, in order. Doesn't visit other replicas.
    mutating func due(at now: SteadyInstant) -> [ReplicaID] {
        let due = stops.due(at: now)
        looks += due.count
        return due.sorted()
    }

    /// Returns the device's new heads that differ from the known ones, by replica. Visits all replicas if all
    /// may have changed.
    mutating func changed(by change: LogChange) -> [(replica: ReplicaID, head: Head)] {
        let changed: [(replica: ReplicaID, head: Head)]
        switch change {
        case .heads(let heads):
            looks += heads.count
            changed = heads.filter { vector[$0.key] != $0.value }.map { ($0.key, $0.value) }
        case .all(let new):
            looks += new.heads.count + vector.heads.count
            changed =
                new.heads.filter { vector[$0.key] != $0.value }.map { ($0.key, $0.value) }
                + vector.heads.keys.filter { new.heads[$0] == nil }.map { ($0, .empty) }
        }
        return changed.sorted { $0.replica < $1.replica }
    }

    /// Returns the last seq of each replica that the server is known to have. Visits all replicas.
    mutating func serverSeqs() -> [ReplicaID: UInt64] {
        looks += all.count
        return all.mapValues { max($0.commonSeq, $0.server.seq) }
    }

    /// Returns all replicas, in order.
    mutating func sorted() -> [ReplicaID] {
        looks += all.count
        return all.keys.sorted()
    }
}
