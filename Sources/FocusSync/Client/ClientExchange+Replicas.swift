import FocusCore

// The sync of one replica.
extension ClientExchange {
    /// The device's head of the replica.
    func local(_ replica: ReplicaID) -> Head { replicas.vector[replica] }

    /// Starts the next step for a replica: to note that both sides are equal, to compare them, or to upload.
    mutating func sync(_ replica: ReplicaID, _ line: inout ClientChannel) {
        let mine = local(replica)
        let syncState = replicas[replica] ?? ReplicaSyncState()
        replicas[replica] = syncState
        guard syncState.work == .none, syncState.uploaded.refusal == nil else { return }
        let server = syncState.server
        let shared = min(mine.seq, server.seq)
        if mine.seq == server.seq, mine.chain == server.chain {
            agree(replica, through: mine.seq, &line)
        } else if mine.seq >= server.seq, syncState.commonSeq < shared {
            compare(replica, through: shared, &line)
        } else if mine.seq > max(server.seq, syncState.uploaded.through) {
            uploads.add(replica)
        }
        // If the server has more, it is sending that. Merging then shows whether the logs part.
    }

    /// Records that both sides have the same events of the replica through `seq`.
    ///
    /// - Parameter tellingDriver: Whether to send the driver the effect `.acknowledged`. That isn't needed
    ///   after a merge: the driver merges the server's events as acknowledged.
    mutating func agree(
        _ replica: ReplicaID, through seq: UInt64, tellingDriver: Bool = true, _ line: inout ClientChannel
    ) {
        guard let before = replicas[replica]?.commonSeq, seq > before else { return }
        replicas[replica]?.commonSeq = seq
        if tellingDriver { line.append(.acknowledged(replica, through: seq)) }
    }

    /// Handles a push that parts from the log. Through `end`, both sides have events of the replica.
    mutating func pushParted(_ replica: ReplicaID, through end: UInt64, _ line: inout ClientChannel) {
        guard let syncState = replicas[replica], end <= syncState.commonSeq else {
            return compare(replica, through: end, &line)
        }
        switch syncState.recheck {
        // The tail that parted may have been moved away meanwhile: request the push again.
        case .none:
            replicas[replica]?.recheck = .asked
            resume(replica, &line)
        // The server contradicts its earlier pushes or heads, for example because it was restored during this
        // connection. Compare from the first event on.
        case .asked where end > 0:
            replicas[replica]?.recheck = .compared
            replicas[replica]?.commonSeq = 0
            compare(replica, through: end, &line)
        case .asked, .compared: stop(replica, Ack.Stop(code: .parted), &line)
        }
    }

    /// Starts the search for the first event that differs, from `commonSeq` through `end`, which is greater.
    mutating func compare(_ replica: ReplicaID, through end: UInt64, _ line: inout ClientChannel) {
        guard let syncState = replicas[replica] else { return }
        let bisection = Bisection(
            equal: syncState.commonSeq, end: end,
            theirs: end == syncState.server.seq ? syncState.server.chain : nil)
        replicas[replica]?.work = .comparing(bisection)
        ask(replica, bisection.asked, theirs: bisection.needsTheirs, &line)
    }

    /// Asks the driver for the log's chains at these seqs. If `theirs` is true, asks the server for its
    /// chains too.
    private func ask(
        _ replica: ReplicaID, _ seqs: [UInt64], theirs: Bool, _ line: inout ClientChannel
    ) {
        line.append(.chains(replica, at: seqs))
        if theirs { line.send(.chainsAsked(replica, at: seqs)) }
    }

    /// Takes one side's chains and starts the next step of the search.
    mutating func handleChains(
        _ replica: ReplicaID, _ line: inout ClientChannel, _ answer: (inout Bisection) -> Bisection.Step?
    ) {
        guard case .comparing(var bisection)? = replicas[replica]?.work else { return }
        let step = answer(&bisection)
        replicas[replica]?.work = .comparing(bisection)
        switch step {
        case nil: break
        case .ask(let seqs): ask(replica, seqs, theirs: true, &line)
        case .equal:
            replicas[replica]?.work = .none
            agree(replica, through: bisection.end, &line)
            guard let uploaded = replicas[replica]?.uploaded, uploaded.refusal != nil,
                uploaded.unanswered == 0
            else { return resume(replica, &line) }
            requestMissingEvents(of: replica, &line)
            resolveRefusal(of: replica, &line)
        case .differs(let own):
            agree(replica, through: bisection.equal, &line)
            replicas[replica]?.work = .moving
            replicas[replica]?.uploaded.refusal = nil
            line.append(.moveBranch(replica, from: own))
        case .lost: stop(replica, Ack.Stop(code: .internal), &line)
        }
    }

    /// Continues with a replica after its tail was moved to its branch.
    mutating func moved(_ replica: ReplicaID, _ vector: VersionVector, _ line: inout ClientChannel) {
        guard replicas[replica]?.work == .moving else { return localLogChanged(to: vector, &line) }
        replicas[replica]?.work = .none
        replicas[replica]?.isWanted = false
        localLogChanged(to: vector, &line)
        resume(replica, &line)
    }

    /// Continues with a replica after a comparison, a branch move or a stop. Pushes were ignored meanwhile,
    /// so it requests missing events again.
    mutating func resume(_ replica: ReplicaID, _ line: inout ClientChannel) {
        requestMissingEvents(of: replica, &line)
        sync(replica, &line)
    }

    /// Requests the replica's events if the server has more than the log.
    private mutating func requestMissingEvents(of replica: ReplicaID, _ line: inout ClientChannel) {
        if replicas[replica]?.server.seq ?? 0 > local(replica).seq { requestPush(replica, &line) }
    }

    /// Asks the server to send the replica's events beyond the log's head again,
    /// unless it was already asked to.
    mutating func requestPush(_ replica: ReplicaID, _ line: inout ClientChannel) {
        guard replicas[replica]?.isWanted == false else { return }
        replicas[replica]?.isWanted = true
        line.send(.want(replica, after: local(replica).seq))
    }

    /// Stops a replica for the time that `stop` names, or for `Limits.retry` if it names none. If the code is
    /// `.malformed`, the stop lasts as long as the connection. Other replicas continue.
    mutating func stop(_ replica: ReplicaID, _ stop: Ack.Stop, _ line: inout ClientChannel) {
        let until: SteadyInstant?
        switch stop.code {
        case .malformed: until = nil
        default: until = line.now + (stop.after ?? Limits.retry)
        }
        replicas[replica]?.work = .stopped(
            ReplicaSyncState.Stop(until: until, lacksEpoch: stop.code == .unknownEpoch))
        replicas[replica]?.uploaded.refusal = nil
        line.append(.stopped(replica, stop))
    }

    /// Retries the stopped replicas that are due.
    mutating func retryStopped(_ line: inout ClientChannel) {
        for replica in replicas.stopped({ $0.until.map { $0 <= line.now } ?? false }) {
            replicas[replica]?.beginAnew()
            resume(replica, &line)
        }
    }
}
