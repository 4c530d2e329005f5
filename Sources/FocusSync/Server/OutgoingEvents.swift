package import FocusCore

/// What a connection's client has of each replica, and what it is still to be sent: a few bytes a replica in place
/// of a queue a connection. Each step takes constant time on average, however many replicas there are.
struct OutgoingEvents {
    /// What the client has of each replica, or is about to receive.
    private var known: [ReplicaID: UInt64] = [:]
    /// What the group had at the welcome, and how many of its replicas have been gone through. All connections that were
    /// welcomed at the same state share it.
    private var listed = ListedVector()
    private var passed = 0
    /// How far the group has the replicas that the client is behind in, where that came up since.
    private var targets: [ReplicaID: UInt64] = [:]
    /// The replicas in `targets`, the next to be read last. They come before what is listed.
    private var queue = OrderedKeys<ReplicaID>()
    /// The replicas that the client wants anew and that weren't looked for since.
    private(set) var wanted: Set<ReplicaID> = []
    private var reading: (replica: ReplicaID, from: UInt64)?
    /// Whether there was a commit of the replica since its reading was asked for: finding nothing then proves
    /// nothing.
    private var isReadingOutdated = false

    /// How many replicas it keeps something of.
    var count: Int { known.count + targets.count }

    /// The group has all this. The client has to say what it has before it is sent anything.
    mutating func record(_ listed: ListedVector) { self.listed = listed }

    /// The client has all this.
    mutating func start(_ vector: VersionVector) {
        let known = vector.heads.mapValues { $0.seq }
        for (replica, seq) in targets where seq <= known[replica] ?? 0 { drop(replica) }
        self.known = known
    }

    /// The client has nothing beyond `after`, whatever it was sent.
    mutating func restart(_ replica: ReplicaID, after: UInt64) {
        known[replica] = after
        wanted.insert(replica)
        // At least the next one is looked for; the answer says how far the group has the replica.
        aim(replica, at: max(targets[replica] ?? 0, after + 1))
    }

    /// The client has the replica so far: it sent that itself.
    mutating func knows(_ replica: ReplicaID, through seq: UInt64) {
        known[replica] = max(known[replica] ?? 0, seq)
        forgetIfReached(replica)
    }

    /// Whether the commit is to be sent as it is. Else it is noted, where the client lacks it.
    ///
    /// - Parameter isOpen: whether the client may be sent anything now.
    mutating func commits(_ push: Push, isOpen: Bool) -> Bool {
        let have = known[push.replica] ?? 0
        guard push.lastSeq > have else { return false }
        if isOpen, targets[push.replica] == nil, push.firstSeq == have + 1 {
            known[push.replica] = push.lastSeq
            return true
        }
        if reading?.replica == push.replica { isReadingOutdated = true }
        aim(push.replica, at: push.lastSeq)
        return false
    }

    /// What is to be read next, where nothing is being read.
    mutating func nextRead() -> (ReplicaID, from: UInt64)? {
        guard reading == nil, let replica = queue.last ?? nextListed() else { return nil }
        let from = (known[replica] ?? 0) + 1
        reading = (replica, from)
        isReadingOutdated = false
        return (replica, from)
    }

    /// Whether what was read is to be sent.
    mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, head: UInt64) -> Bool {
        guard let asked = reading, asked.replica == replica else { return false }
        reading = nil
        // The client may have asked for something else of this replica meanwhile.
        guard asked.from == (known[replica] ?? 0) + 1 else { return false }
        wanted.remove(replica)
        guard let segment, segment.firstSeq == asked.from else {
            if isReadingOutdated { return false }
            drop(replica)
            if passed < listed.seqs.count, listed.seqs[passed].replica == replica { passed += 1 }
            // A replica that there isn't leaves no trace.
            if head == 0 { known[replica] = nil }
            return false
        }
        known[replica] = segment.lastSeq
        aim(replica, at: head)
        forgetIfReached(replica)
        return true
    }

    /// The first of the listed replicas that the client lacks something of.
    private mutating func nextListed() -> ReplicaID? {
        while passed < listed.seqs.count {
            let (replica, seq) = listed.seqs[passed]
            if seq > known[replica] ?? 0 { return replica }
            passed += 1
        }
        // Made anew it would take what a list takes, at every message.
        if passed > 0 { (listed, passed) = (ListedVector(), 0) }
        return nil
    }

    private mutating func aim(_ replica: ReplicaID, at seq: UInt64) {
        queue.append(replica)
        targets[replica] = max(targets[replica] ?? 0, seq)
    }

    private mutating func forgetIfReached(_ replica: ReplicaID) {
        if let target = targets[replica], known[replica] ?? 0 >= target { drop(replica) }
    }

    private mutating func drop(_ replica: ReplicaID) {
        wanted.remove(replica)
        targets[replica] = nil
        queue.remove(replica)
    }
}

/// A committed segment, encoded once for all the connections it is pushed to.
package struct Push: Hashable, Sendable {
    /// The replica that the events are of.
    package let replica: ReplicaID
    /// The seq of the first event, 1 or more.
    package let firstSeq: UInt64
    /// The seq of the last event, at least that of the first.
    package let lastSeq: UInt64
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the push of this segment, which takes time in proportion to its bytes.
    package init(_ segment: Segment) {
        replica = segment.replica
        firstSeq = segment.firstSeq
        lastSeq = segment.lastSeq
        frame = Message.push(segment).encoded()
    }
}
