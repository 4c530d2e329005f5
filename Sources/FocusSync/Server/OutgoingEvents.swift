package import FocusCore

/// The events that a connection's client has and those still to be sent to it: a few bytes for each
/// replica, instead of a queue for each connection. Each step takes constant time on average,
/// however many replicas there are.
struct OutgoingEvents {
    /// The last seq of each replica that the client has or was sent.
    private var known: [ReplicaID: UInt64] = [:]
    /// The group's heads at the welcome. All connections that were welcomed at the same state share the list.
    private var listed = EncodedVector()
    /// The number of replicas in `listed`, from the first on, of which the client needs nothing more.
    private var passed = 0
    /// The replicas in which the client was found to be behind since the welcome, each with the group's last
    /// seq.
    private var targets: [ReplicaID: UInt64] = [:]
    /// The replicas in `targets`. They are read before the replicas in `listed`, from the last to the first.
    private var queue = OrderedKeys<ReplicaID>()
    /// The replicas that the client wants again (`want`) and that weren't looked up since.
    private(set) var wanted: Set<ReplicaID> = []
    /// The read under way, from the seq `from` on, or nil if there is none.
    private var reading: (replica: ReplicaID, from: UInt64)?
    /// Whether the replica being read was committed to after the read was requested. Then an
    /// empty result proves nothing.
    private var isReadingOutdated = false

    /// The number of entries, for the estimate of memory.
    var count: Int { known.count + targets.count }

    /// Stores what the group has at the welcome. Nothing is sent before the client has said what it has.
    mutating func record(_ listed: EncodedVector) { self.listed = listed }

    /// Stores what the client has.
    mutating func start(_ vector: VersionVector) {
        let known = vector.heads.mapValues { $0.seq }
        for (replica, seq) in targets where seq <= known[replica] ?? 0 { drop(replica) }
        self.known = known
    }

    /// Notes that the client has nothing of the replica beyond `after`, even if it was sent more.
    mutating func restart(_ replica: ReplicaID, after: UInt64) {
        known[replica] = after
        wanted.insert(replica)
        // A target after `after` makes the next read look the replica up. It returns the group's last seq.
        raiseTarget(of: replica, to: after + 1)
    }

    /// Notes that the client has the replica through `seq`, because it uploaded that itself.
    mutating func knows(_ replica: ReplicaID, through seq: UInt64) {
        known[replica] = max(known[replica] ?? 0, seq)
        forgetIfReached(replica)
    }

    /// Decides whether a commit is sent to the client as it is. If not, and the client lacks its events, they
    /// are read later.
    ///
    /// - Parameter isOpen: Whether the client may be sent anything now.
    /// - Returns: Whether to send it.
    mutating func recordCommit(_ push: EncodedPush, isOpen: Bool) -> Bool {
        let have = known[push.replica] ?? 0
        guard push.lastSeq > have else { return false }
        if isOpen, targets[push.replica] == nil, push.firstSeq == have + 1 {
            known[push.replica] = push.lastSeq
            return true
        }
        if reading?.replica == push.replica { isReadingOutdated = true }
        raiseTarget(of: push.replica, to: push.lastSeq)
        return false
    }

    /// Starts the next read.
    ///
    /// - Returns: The replica and the first seq to read. Nil if a read is under way, or
    ///   if the client lacks nothing.
    mutating func nextRead() -> (ReplicaID, from: UInt64)? {
        guard reading == nil, let replica = queue.last ?? nextListed() else { return nil }
        let from = (known[replica] ?? 0) + 1
        reading = (replica, from)
        isReadingOutdated = false
        return (replica, from)
    }

    /// Ends the read under way.
    ///
    /// - Parameters:
    ///   - segment: The events from the requested seq on; nil if there are none.
    ///   - head: The group's last seq of the replica.
    /// - Returns: Whether to send the segment.
    mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, head: UInt64) -> Bool {
        guard let asked = reading, asked.replica == replica else { return false }
        reading = nil
        // The client may have sent a `want` for this replica meanwhile.
        guard asked.from == (known[replica] ?? 0) + 1 else { return false }
        wanted.remove(replica)
        guard let segment, segment.firstSeq == asked.from else {
            if isReadingOutdated { return false }
            drop(replica)
            if passed < listed.seqs.count, listed.seqs[passed].replica == replica { passed += 1 }
            // No entry is kept for a replica that the group doesn't have.
            if head == 0 { known[replica] = nil }
            return false
        }
        known[replica] = segment.lastSeq
        raiseTarget(of: replica, to: head)
        forgetIfReached(replica)
        return true
    }

    /// Returns the first listed replica of which the client lacks events; nil if there is none.
    private mutating func nextListed() -> ReplicaID? {
        while passed < listed.seqs.count {
            let (replica, seq) = listed.seqs[passed]
            if seq > known[replica] ?? 0 { return replica }
            passed += 1
        }
        // The list is done, so its memory is freed. This happens only once, because even an empty list is
        // expensive to make.
        if passed > 0 { (listed, passed) = (EncodedVector(), 0) }
        return nil
    }

    /// Raises the seq through which the client is to be sent the replica's events.
    private mutating func raiseTarget(of replica: ReplicaID, to seq: UInt64) {
        queue.append(replica)
        targets[replica] = max(targets[replica] ?? 0, seq)
    }

    /// Drops the replica if the client has or was sent all its known events.
    private mutating func forgetIfReached(_ replica: ReplicaID) {
        if let target = targets[replica], known[replica] ?? 0 >= target { drop(replica) }
    }

    /// Removes the replica from the replicas to be read.
    private mutating func drop(_ replica: ReplicaID) {
        wanted.remove(replica)
        targets[replica] = nil
        queue.remove(replica)
    }
}

/// A committed segment, encoded once for all connections that it is pushed to.
package struct EncodedPush: Hashable, Sendable {
    /// The replica of the events.
    package let replica: ReplicaID
    /// The seq of the first event, 1 or more.
    package let firstSeq: UInt64
    /// The seq of the last event, at least that of the first.
    package let lastSeq: UInt64
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the push of a segment, in time proportional to its bytes.
    package init(_ segment: Segment) {
        replica = segment.replica
        firstSeq = segment.firstSeq
        lastSeq = segment.lastSeq
        frame = Message.push(segment).encoded()
    }
}
