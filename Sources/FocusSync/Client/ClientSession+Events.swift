import FocusCore

// Events coming and going.
extension ClientSession {
    mutating func takePush(_ segment: Segment) {
        let replica = segment.replica
        replicas[replica, default: ReplicaStanding()].serverHas(segment.lastSeq, nil)
        // While it isn't clear what the device has, nothing is merged; `resume` asks for it anew.
        guard replicas[replica]?.work == ReplicaStanding.Work.none else {
            replicas[replica]?.isWanted = false
            return
        }
        merging.append(segment)
        effects.append(.merge(segment))
    }

    mutating func takeAck(_ ack: Ack) throws(WireError) {
        guard let lastSeq = uploads.answered(ack.replica), var standing = replicas[ack.replica] else {
            throw .unexpected(.ack)
        }
        standing.uploading -= 1
        if ack.head.seq >= standing.serverSeq || ack.stop?.code == .gap {
            standing.serverSeq = ack.head.seq
            standing.serverChain = ack.head.chain
        }
        if standing.stop == nil { standing.stop = ack.stop }
        replicas[ack.replica] = standing
        // With a code the server may not have compared anything: its head may be a twin's.
        if ack.stop == nil { agree(ack.replica, through: min(ack.head.seq, lastSeq)) }
        if standing.uploading == 0 { deal(with: ack.replica) }
    }

    /// All of the replica's uploads are answered: deals with the first refusal among them, once it is clear whether the
    /// head that was named with it is this log's own.
    mutating func deal(with replica: ReplicaID) {
        guard let standing = replicas[replica], let stop = standing.stop else { return reconcile(replica) }
        replicas[replica]?.sent = 0
        let shared = min(local(replica).seq, standing.serverSeq)
        if standing.work == .none, stop.code != .gap, standing.agreed < shared {
            return compare(replica, through: shared)
        }
        replicas[replica]?.stop = nil
        // Where the tail is being moved away already, there is nothing left to deal with.
        guard standing.work == .none else { return }
        switch stop.code {
        // What parted has been moved away since.
        case .parted where !standing.wasContradicted:
            replicas[replica]?.wasContradicted = true
            resume(replica)
        case .gap where !standing.wasContradicted:
            replicas[replica]?.wasContradicted = true
            replicas[replica]?.agreed = 0
            reconcile(replica)
        case .clockAhead where isReauthoringDue || now >= nextReauthoring:
            nextReauthoring = now + Limits.retry
            isReauthoringDue = true
        default: self.stop(replica, stop)
        }
    }

    /// Goes on with what can go on: the stages up to `live`, and the next upload.
    mutating func goOn() {
        if isConnected { share() }
        if case .catchingUp(let replicas) = state {
            let left = replicas.filter { !isCaughtUp($0) }
            state = .catchingUp(left)
            if left.isEmpty, awaitedEpochs.isEmpty {
                state = .returning
                effects.append(.caughtUp)
            }
        }
        if case .awaitingClock = state, clock.hasReading { isReauthoringDue = true }
        if isReauthoringDue, !uploads.isUnderWay { reauthor() }
        if case .live = state, !isReauthoringDue { upload() }
    }

    private func isCaughtUp(_ replica: ReplicaID) -> Bool {
        guard let standing = replicas[replica] else { return true }
        if case .stopped = standing.work { return true }
        return standing.work == .none && standing.agreed >= standing.target
    }

    private mutating func reauthor() {
        isReauthoringDue = false
        guard case .upTo(let limit) = Admission.server(now: clock.shared(now), latest: latest) else { return }
        state = .reauthoring
        let heads = replicas.mapValues { max($0.agreed, $0.serverSeq) }
        effects.append(
            .reauthor(Reauthoring(beyond: heads, limit: limit, error: clockError / 1000)))
    }

    /// Asks for the events of the next upload. Those of an epoch that the server lacks come after its record.
    private mutating func upload() {
        while !shared.isGiving, uploads.hasRoom, let replica = uploads.next {
            guard let standing = replicas[replica], standing.work == .none, standing.stop == nil,
                standing.agreed >= standing.serverSeq
            else {
                uploads.drop(replica)
                continue
            }
            let sent = max(standing.sent, standing.serverSeq)
            guard local(replica).seq > sent else {
                uploads.drop(replica)
                continue
            }
            uploads.read(replica, from: sent + 1)
            effects.append(.read(replica, from: sent + 1, bytes: Limits.read))
        }
    }
}
