import FocusCore

// What is done about each replica.
extension Exchange {
    /// The device's head of the replica.
    func local(_ replica: ReplicaID) -> Head { replicas.vector[replica] }

    /// Compares where the two sides stand with a replica, and does what follows from it.
    mutating func reconcile(_ replica: ReplicaID, _ line: inout ClientLine) {
        let mine = local(replica)
        let standing = replicas[replica] ?? ReplicaStanding()
        replicas[replica] = standing
        guard standing.work == .none, standing.uploaded.refusal == nil else { return }
        let server = standing.server
        let shared = min(mine.seq, server.seq)
        if mine.seq == server.seq, mine.chain == server.chain {
            agree(replica, through: mine.seq, &line)
        } else if mine.seq >= server.seq, standing.agreed < shared {
            compare(replica, through: shared, &line)
        } else if mine.seq > max(server.seq, standing.uploaded.through) {
            uploads.add(replica)
        }
        // Where the server has more, it is sending that, and merging will tell whether the logs part.
    }

    /// Both sides have the replica's events through here.
    mutating func agree(
        _ replica: ReplicaID, through seq: UInt64, tellingShell: Bool = true, _ line: inout ClientLine
    ) {
        guard let before = replicas[replica]?.agreed, seq > before else { return }
        replicas[replica]?.agreed = seq
        if tellingShell { line.append(.acknowledged(replica, through: seq)) }
    }

    /// A push doesn't follow on from what the log has, through `end`.
    mutating func pushParted(_ replica: ReplicaID, through end: UInt64, _ line: inout ClientLine) {
        guard let standing = replicas[replica], end <= standing.agreed else {
            return compare(replica, through: end, &line)
        }
        switch standing.doubt {
        // What parted may have been moved away since.
        case .none:
            replicas[replica]?.doubt = .asked
            resume(replica, &line)
        // The server contradicts what it pushed, or said that it has: it was restored, say, while this goes on.
        case .asked where end > 0:
            replicas[replica]?.doubt = .compared
            replicas[replica]?.agreed = 0
            compare(replica, through: end, &line)
        case .asked, .compared: stop(replica, Ack.Stop(code: .parted), &line)
        }
    }

    /// Looks for the first event that differs, from what is agreed through `end`, which is beyond that.
    mutating func compare(_ replica: ReplicaID, through end: UInt64, _ line: inout ClientLine) {
        guard let standing = replicas[replica] else { return }
        let bisection = Bisection(
            equal: standing.agreed, end: end,
            theirs: end == standing.server.seq ? standing.server.chain : nil)
        replicas[replica]?.work = .comparing(bisection)
        ask(replica, bisection.asked, theirs: bisection.needsTheirs, &line)
    }

    private func ask(
        _ replica: ReplicaID, _ seqs: [UInt64], theirs: Bool, _ line: inout ClientLine
    ) {
        line.append(.chains(replica, at: seqs))
        if theirs { line.send(.chainsAsked(replica, at: seqs)) }
    }

    /// One side said what its chains are.
    mutating func takeChains(
        _ replica: ReplicaID, _ line: inout ClientLine, _ answer: (inout Bisection) -> Bisection.Step?
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
            wantWhatIsLacking(of: replica, &line)
            deal(with: replica, &line)
        case .differs(let own):
            agree(replica, through: bisection.equal, &line)
            replicas[replica]?.work = .moving
            replicas[replica]?.uploaded.refusal = nil
            line.append(.moveBranch(replica, from: own))
        case .lost: stop(replica, Ack.Stop(code: .internal), &line)
        }
    }

    /// The replica's tail was moved to its branch, and the log has this now.
    mutating func moved(_ replica: ReplicaID, _ change: LogChange, _ line: inout ClientLine) {
        guard replicas[replica]?.work == .moving else { return logChanged(change, &line) }
        replicas[replica]?.work = .none
        replicas[replica]?.isWanted = false
        logChanged(change, &line)
        resume(replica, &line)
    }

    /// Goes on with a replica that was left alone for a while: pushes may have been passed over.
    mutating func resume(_ replica: ReplicaID, _ line: inout ClientLine) {
        wantWhatIsLacking(of: replica, &line)
        reconcile(replica, &line)
    }

    private mutating func wantWhatIsLacking(of replica: ReplicaID, _ line: inout ClientLine) {
        if replicas[replica]?.server.seq ?? 0 > local(replica).seq { want(replica, &line) }
    }

    /// Asks the server to send the replica's events anew, unless it was asked already.
    mutating func want(_ replica: ReplicaID, _ line: inout ClientLine) {
        guard replicas[replica]?.isWanted == false else { return }
        replicas[replica]?.isWanted = true
        line.send(.want(replica, after: local(replica).seq))
    }

    /// Leaves the replica alone for a while; the others go on.
    mutating func stop(_ replica: ReplicaID, _ stop: Ack.Stop, _ line: inout ClientLine) {
        let until: SteadyInstant?
        switch stop.code {
        case .malformed: until = nil
        default: until = line.now + (stop.after ?? Limits.retry)
        }
        replicas[replica]?.work = .stopped(
            ReplicaStanding.Stop(until: until, lacksEpoch: stop.code == .unknownEpoch))
        replicas[replica]?.uploaded.refusal = nil
        line.append(.stopped(replica, stop))
    }

    /// Tries those replicas again whose time has come.
    mutating func retryStopped(_ line: inout ClientLine) {
        for replica in replicas.due(at: line.now) {
            replicas[replica]?.beginAnew()
            resume(replica, &line)
        }
    }
}
