import FocusCore

// Uploads and pushes.
extension ClientExchange {
    /// Requests the merge of a push, or ignores the push while other work is under way for its replica.
    mutating func handlePush(_ segment: Segment, _ line: inout ClientChannel) throws(GroupSizeError) {
        let replica = segment.replica
        try tally.count(replica)
        replicas[replica, default: ReplicaSyncState()].raiseServerHead(segment.lastSeq)
        // While a replica is being compared, moved or stopped, nothing is merged.
        // `resume` requests the push again.
        guard replicas[replica]?.work == ReplicaSyncState.Work.none else {
            replicas[replica]?.isWanted = false
            return
        }
        merging.append(segment)
        line.append(.merge(segment))
    }

    /// Handles the result of merging a push.
    ///
    /// - Parameters:
    ///   - head: The replica's head after the merge.
    ///   - stop: The reason to stop before the segment's end, or nil if the merge reached it.
    mutating func merged(
        _ replica: ReplicaID, head: Head, stop: RefusalCode?, _ line: inout ClientChannel
    ) {
        guard let segment = merging.removeFirst(of: replica) else { return }
        if head.seq > local(replica).seq { replicas[replica]?.recheck = .none }
        replicas.vector[replica] = head
        guard replicas[replica]?.work == ReplicaSyncState.Work.none else { return }
        let shared = min(head.seq, segment.lastSeq)
        switch stop {
        case nil:
            replicas[replica]?.isWanted = false
            agree(replica, through: shared, tellingDriver: false, &line)
            sync(replica, &line)
        case RefusalCode.parted?:
            // No event of the push was merged. If the logs turn out to be equal, the events are requested
            // again.
            replicas[replica]?.isWanted = false
            pushParted(replica, through: shared, &line)
        case RefusalCode.gap?: requestPush(replica, &line)
        case let code?: self.stop(replica, Ack.Stop(code: code), &line)
        }
    }

    /// Handles the answer to an upload.
    mutating func handleAck(_ ack: Ack, _ line: inout ClientChannel) throws(ServerProtocolError) {
        guard let lastSeq = uploads.answered(ack.replica), var syncState = replicas[ack.replica] else {
            throw .malformed(.unexpected(.ack))
        }
        syncState.handle(ack)
        replicas[ack.replica] = syncState
        // If the ack has a code, the server may have compared nothing, and its head may be that of another
        // copy of this device.
        if ack.stop == nil { agree(ack.replica, through: min(ack.head.seq, lastSeq), &line) }
        if syncState.uploaded.unanswered == 0 { resolveRefusal(of: ack.replica, &line) }
    }

    /// Resolves the first refusal among the replica's uploads, once all of them are answered. Except for a
    /// gap, it first compares the chains at the server's head, unless they are known to be equal.
    mutating func resolveRefusal(of replica: ReplicaID, _ line: inout ClientChannel) {
        guard let syncState = replicas[replica], let refusal = syncState.uploaded.refusal else {
            return sync(replica, &line)
        }
        replicas[replica]?.uploaded.through = 0
        let shared = min(local(replica).seq, syncState.server.seq)
        if syncState.work == .none, refusal.code != .gap, syncState.commonSeq < shared {
            return compare(replica, through: shared, &line)
        }
        replicas[replica]?.uploaded.refusal = nil
        // A comparison or a branch move is under way, and continues with the replica when it ends.
        guard syncState.work == .none else { return }
        switch refusal.code {
        // The logs are equal now: the tail that parted was moved away meanwhile. Upload once more.
        case .parted where !syncState.serverDisagreed:
            replicas[replica]?.serverDisagreed = true
            resume(replica, &line)
        case .gap where !syncState.serverDisagreed:
            replicas[replica]?.serverDisagreed = true
            replicas[replica]?.commonSeq = 0
            sync(replica, &line)
        case .clockAhead where reauthor.isDue || line.now >= reauthor.next:
            reauthor.next = line.now + Limits.retry
            reauthor.isDue = true
        default: stop(replica, refusal, &line)
        }
    }

    /// Requests the events of the next uploads from the driver, as far as the window has room. Does nothing
    /// until all epoch records that the server lacks are sent.
    mutating func upload(_ line: inout ClientChannel) {
        while !missing.hasMoreToSend, uploads.hasRoom, let replica = uploads.next {
            guard let syncState = replicas[replica], syncState.work == .none,
                syncState.uploaded.refusal == nil, syncState.commonSeq >= syncState.server.seq
            else {
                uploads.drop(replica)
                continue
            }
            let sent = max(syncState.uploaded.through, syncState.server.seq)
            guard local(replica).seq > sent else {
                uploads.drop(replica)
                continue
            }
            uploads.read(replica, from: sent + 1)
            line.append(.read(replica, from: sent + 1, bytes: Limits.read))
        }
    }

    /// Uploads the events that were read.
    ///
    /// - Parameter segment: The events, from the requested seq on; nil if there are none any more.
    mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, _ line: inout ClientChannel) {
        guard let from = uploads.loaded(replica) else { return }
        // Otherwise the log has changed, and the driver is about to report that.
        guard let segment, segment.firstSeq == from else { return uploads.drop(replica) }
        guard case .live = stage, let syncState = replicas[replica], syncState.work == .none,
            syncState.uploaded.refusal == nil,
            max(syncState.uploaded.through, syncState.server.seq) + 1 == from, !missing.hasMoreToSend
        else { return }
        replicas[replica]?.uploaded.through = segment.lastSeq
        replicas[replica]?.uploaded.unanswered += 1
        uploads.send(segment)
        line.send(.upload(segment))
    }
}

/// The client's uploads: those to prepare and those not answered yet.
struct Uploads {
    /// The replicas of which the server may lack events, in the order in which they were added.
    private var queue = OrderedKeys<ReplicaID>()
    /// The read under way for the next upload, from the seq `from` on; nil if there is none.
    private(set) var reading: (replica: ReplicaID, from: UInt64)?
    /// The uploads that aren't answered yet.
    private var underWay = SegmentQueue()

    /// Whether an upload isn't answered yet.
    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether another upload may be prepared.
    var hasRoom: Bool { reading == nil && underWay.bytes < Limits.uploadWindow }

    /// The next replica to upload.
    var next: ReplicaID? { queue.first }

    mutating func add(_ replica: ReplicaID) { queue.append(replica) }

    /// Removes the replica, because there is nothing to upload of it for now.
    mutating func drop(_ replica: ReplicaID) { queue.remove(replica) }

    mutating func read(_ replica: ReplicaID, from seq: UInt64) { reading = (replica, seq) }

    /// Ends the read under way, if it is of this replica.
    ///
    /// - Returns: The seq from which events were requested; nil if no read of this replica is under way.
    mutating func loaded(_ replica: ReplicaID) -> UInt64? {
        guard let asked = reading, asked.replica == replica else { return nil }
        reading = nil
        return asked.from
    }

    mutating func send(_ segment: Segment) { underWay.append(segment) }

    /// Removes the replica's first unanswered upload.
    ///
    /// - Returns: The last seq of that upload; nil if there is none.
    mutating func answered(_ replica: ReplicaID) -> UInt64? { underWay.removeFirst(of: replica)?.lastSeq }
}
