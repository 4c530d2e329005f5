import FocusCore

/// Where all replicas' events stand between a device and its server, with what is asked of all of them again and again.
///
/// A message is about one replica, and a group has thousands, many of which a member who means harm may have made. So
/// whatever changes a standing, or the device's head of a replica, goes through here and brings the rest up to date
/// with it. What goes over all of them says so, and is for when all of them may be new.
struct ReplicaStandings {
    /// What the device has.
    private(set) var vector: VersionVector
    /// The replicas that either side has, or had.
    private(set) var all: [ReplicaID: ReplicaStanding]
    /// Those that are still short of what the welcome named, as far as was looked at (`dropCaughtUp`).
    private(set) var behind: Set<ReplicaID>
    /// Those of them that have changed since that was looked at.
    private var touched: [ReplicaID]
    /// How many replicas differ between the two sides, as far as is known, and weren't stopped.
    private(set) var unsettled = 0
    /// How many of the device's events the server isn't known to have.
    private(set) var unacknowledged: UInt64 = 0
    /// Until when those are left alone that are stopped for a while.
    private(set) var stops = Deadlines<ReplicaID>()
    /// Those that are stopped for want of an epoch's record.
    private(set) var lacking: Set<ReplicaID> = []
    /// How many standings were looked at or changed, for tests.
    private(set) var looks = 0

    /// What a session begins with: what the device has, and what the server has, as the welcome said.
    init(_ vector: VersionVector, _ welcome: VersionVector) {
        self.vector = vector
        all = welcome.heads.mapValues { ReplicaStanding($0) }
        behind = Set(welcome.heads.keys)
        touched = Array(welcome.heads.keys)
        for (replica, standing) in all {
            replace(Share.none, with: Share(standing, vector[replica].seq), of: replica)
        }
        for (replica, head) in vector.heads where all[replica] == nil {
            replace(Share.none, with: Share(nil, head.seq), of: replica)
        }
    }

    /// Where a replica's events stand; nil where neither side is known to have had any.
    subscript(replica: ReplicaID) -> ReplicaStanding? {
        get { all[replica] }
        set {
            let seq = vector[replica].seq
            let share = Share(all[replica], seq)
            all[replica] = newValue
            replace(share, with: Share(newValue, seq), of: replica)
        }
    }

    /// Where a replica's events stand; this, where neither side is known to have had any.
    subscript(replica: ReplicaID, default standing: ReplicaStanding) -> ReplicaStanding {
        get { self[replica] ?? standing }
        set { self[replica] = newValue }
    }

    /// The device has this of a replica from now on.
    mutating func setHead(_ head: Head, of replica: ReplicaID) {
        let standing = all[replica]
        let share = Share(standing, vector[replica].seq)
        vector[replica] = head
        replace(share, with: Share(standing, head.seq), of: replica)
    }
}

// MARK: - What each adds

extension ReplicaStandings {
    /// What one replica adds to what is known of all.
    fileprivate struct Share: Hashable {
        var isUnsettled = false
        var unacknowledged: UInt64 = 0
        var until: SteadyInstant?
        var lacksEpoch = false

        static let none = Share()
    }

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

extension ReplicaStandings.Share {
    /// - Parameter seq: how far the device has the replica.
    fileprivate init(_ standing: ReplicaStanding?, _ seq: UInt64) {
        unacknowledged = seq - min(standing?.agreed ?? 0, seq)
        guard let standing else { return }
        isUnsettled = !standing.isSettled(seq)
        if case .stopped(let stop) = standing.work {
            until = stop.until
            lacksEpoch = stop.lacksEpoch
        }
    }
}

// MARK: - What is looked through

extension ReplicaStandings {
    /// Takes those out of `behind` that have caught up. Only what has changed since the last time is looked at.
    mutating func dropCaughtUp() {
        for replica in touched {
            looks += 1
            if all[replica]?.hasCaughtUp ?? true { behind.remove(replica) }
        }
        touched = []
    }

    /// Those whose time to be left alone is over, by replica. The others aren't looked at.
    mutating func due(at now: SteadyInstant) -> [ReplicaID] {
        let due = stops.due(at: now)
        looks += due.count
        return due.sorted()
    }

    /// The replicas that the device has otherwise now, by replica. Looks at all where all may be new.
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

    /// How far the server is known to have each. Looks at all.
    mutating func serverSeqs() -> [ReplicaID: UInt64] {
        looks += all.count
        return all.mapValues { max($0.agreed, $0.server.seq) }
    }

    /// All that there are, in order.
    mutating func sorted() -> [ReplicaID] {
        looks += all.count
        return all.keys.sorted()
    }
}
