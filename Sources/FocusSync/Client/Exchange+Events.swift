import FocusCore

// Events coming and going.
extension Exchange {
    mutating func takePush(_ segment: Segment, _ line: inout ClientLine) throws(Excess) {
        let replica = segment.replica
        try tally.count(replica)
        replicas[replica, default: ReplicaStanding()].serverHas(segment.lastSeq)
        // While it isn't clear what the device has, nothing is merged; `resume` asks for it anew.
        guard replicas[replica]?.work == ReplicaStanding.Work.none else {
            replicas[replica]?.isWanted = false
            return
        }
        merging.append(segment)
        line.append(.merge(segment))
    }

    /// What a push came to.
    ///
    /// - Parameters:
    ///   - head: the replica's head after it.
    ///   - stop: why the segment's end was not reached, where it wasn't.
    mutating func merged(
        _ replica: ReplicaID, head: Head, stop: RefusalCode?, _ line: inout ClientLine
    ) {
        guard let segment = merging.next(replica) else { return }
        if head.seq > local(replica).seq { replicas[replica]?.doubt = .none }
        replicas.setHead(head, of: replica)
        guard replicas[replica]?.work == ReplicaStanding.Work.none else { return }
        let shared = min(head.seq, segment.lastSeq)
        switch stop {
        case nil:
            replicas[replica]?.isWanted = false
            agree(replica, through: shared, tellingShell: false, &line)
            reconcile(replica, &line)
        case RefusalCode.parted?:
            // Nothing of it was taken: what was wanted still is, should the logs turn out to be equal.
            replicas[replica]?.isWanted = false
            pushParted(replica, through: shared, &line)
        case RefusalCode.gap?: want(replica, &line)
        case let code?: self.stop(replica, Ack.Stop(code: code), &line)
        }
    }

    mutating func takeAck(_ ack: Ack, _ line: inout ClientLine) throws(ServerFault) {
        guard let lastSeq = uploads.answered(ack.replica), var standing = replicas[ack.replica] else {
            throw .malformed(.unexpected(.ack))
        }
        standing.handle(ack)
        replicas[ack.replica] = standing
        // With a code the server may not have compared anything: its head may be a twin's.
        if ack.stop == nil { agree(ack.replica, through: min(ack.head.seq, lastSeq), &line) }
        if standing.uploaded.unanswered == 0 { deal(with: ack.replica, &line) }
    }

    /// All of the replica's uploads are answered: deals with the first refusal among them, once it is clear whether the
    /// head that was named with it is this log's own.
    mutating func deal(with replica: ReplicaID, _ line: inout ClientLine) {
        guard let standing = replicas[replica], let refusal = standing.uploaded.refusal else {
            return reconcile(replica, &line)
        }
        replicas[replica]?.uploaded.through = 0
        let shared = min(local(replica).seq, standing.server.seq)
        if standing.work == .none, refusal.code != .gap, standing.agreed < shared {
            return compare(replica, through: shared, &line)
        }
        replicas[replica]?.uploaded.refusal = nil
        // Where the tail is being moved away already, there is nothing left to deal with.
        guard standing.work == .none else { return }
        switch refusal.code {
        // What parted has been moved away since.
        case .parted where !standing.wasContradicted:
            replicas[replica]?.wasContradicted = true
            resume(replica, &line)
        case .gap where !standing.wasContradicted:
            replicas[replica]?.wasContradicted = true
            replicas[replica]?.agreed = 0
            reconcile(replica, &line)
        case .clockAhead where reauthor.isDue || line.now >= reauthor.next:
            reauthor.next = line.now + Limits.retry
            reauthor.isDue = true
        default: stop(replica, refusal, &line)
        }
    }

    /// Asks for the events of the next upload. Those of an epoch that the server lacks come after its record.
    mutating func upload(_ line: inout ClientLine) {
        while !shared.isGiving, uploads.hasRoom, let replica = uploads.next {
            guard let standing = replicas[replica], standing.work == .none,
                standing.uploaded.refusal == nil, standing.agreed >= standing.server.seq
            else {
                uploads.drop(replica)
                continue
            }
            let sent = max(standing.uploaded.through, standing.server.seq)
            guard local(replica).seq > sent else {
                uploads.drop(replica)
                continue
            }
            uploads.read(replica, from: sent + 1)
            line.append(.read(replica, from: sent + 1, bytes: Limits.read))
        }
    }

    /// The events to be uploaded.
    ///
    /// - Parameter segment: they begin at the seq asked for; nil where there are none any more.
    mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, _ line: inout ClientLine) {
        guard let from = uploads.loaded(replica) else { return }
        // Else the log has changed: the shell is about to say so.
        guard let segment, segment.firstSeq == from else { return uploads.drop(replica) }
        guard case .live = stage, let standing = replicas[replica], standing.work == .none,
            standing.uploaded.refusal == nil,
            max(standing.uploaded.through, standing.server.seq) + 1 == from, !shared.isGiving
        else { return }
        replicas[replica]?.uploaded.through = segment.lastSeq
        replicas[replica]?.uploaded.unanswered += 1
        uploads.send(segment)
        line.send(.upload(segment))
    }
}

/// What the client has to upload, and what is under way.
struct Uploads {
    /// The replicas of which the server may lack something, in the order in which that was found.
    private var queue = OrderedKeys<ReplicaID>()
    /// What the shell is reading for the next upload.
    private(set) var reading: (replica: ReplicaID, from: UInt64)?
    /// The uploads that haven't been answered.
    private var underWay = SegmentQueue()

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether another upload may be prepared.
    var hasRoom: Bool { reading == nil && underWay.bytes < Limits.uploadWindow }

    /// The replica to go on with.
    var next: ReplicaID? { queue.first }

    mutating func add(_ replica: ReplicaID) { queue.append(replica) }

    /// There is nothing to upload of the replica for now.
    mutating func drop(_ replica: ReplicaID) { queue.remove(replica) }

    mutating func read(_ replica: ReplicaID, from seq: UInt64) { reading = (replica, seq) }

    /// What was read, if it is what was asked for.
    mutating func loaded(_ replica: ReplicaID) -> UInt64? {
        guard let asked = reading, asked.replica == replica else { return nil }
        reading = nil
        return asked.from
    }

    mutating func send(_ segment: Segment) { underWay.append(segment) }

    /// The last seq of the upload that an acknowledgement answers; nil where there is none.
    mutating func answered(_ replica: ReplicaID) -> UInt64? { underWay.next(replica)?.lastSeq }
}
