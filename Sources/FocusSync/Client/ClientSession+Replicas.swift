import FocusCore

// What is done about each replica.
extension ClientSession {
    /// The device's head of the replica.
    func local(_ replica: ReplicaID) -> Head { log?.vector[replica] ?? .empty }

    /// Compares where the two sides stand with a replica, and does what follows from it.
    mutating func reconcile(_ replica: ReplicaID) {
        guard isConnected else { return }
        let mine = local(replica)
        let standing = replicas[replica] ?? ReplicaStanding()
        replicas[replica] = standing
        guard standing.work == .none, standing.stop == nil else { return }
        let shared = min(mine.seq, standing.serverSeq)
        if mine.seq == standing.serverSeq, mine.chain == standing.serverChain {
            agree(replica, through: mine.seq)
        } else if mine.seq >= standing.serverSeq, standing.agreed < shared {
            compare(replica, through: shared)
        } else if mine.seq > max(standing.serverSeq, standing.sent) {
            uploads.add(replica)
        }
        // Where the server has more, it is sending that, and merging will tell whether the logs part.
    }

    /// Both sides have the replica's events through here.
    mutating func agree(_ replica: ReplicaID, through seq: UInt64, isKnownToShell: Bool = false) {
        guard let before = replicas[replica]?.agreed, seq > before else { return }
        replicas[replica]?.agreed = seq
        if !isKnownToShell { effects.append(.acknowledged(replica, through: seq)) }
    }

    /// A push doesn't follow on from what the log has, through `end`.
    mutating func pushParted(_ replica: ReplicaID, through end: UInt64) {
        guard let standing = replicas[replica], end <= standing.agreed else {
            return compare(replica, through: end)
        }
        switch standing.doubt {
        // What parted may have been moved away since.
        case .none:
            replicas[replica]?.doubt = .asked
            resume(replica)
        // The server contradicts what it pushed, or said that it has: it was restored, say, while this goes on.
        case .asked where end > 0:
            replicas[replica]?.doubt = .compared
            replicas[replica]?.agreed = 0
            compare(replica, through: end)
        case .asked, .compared: stop(replica, Ack.Stop(code: .parted))
        }
    }

    /// Looks for the first event that differs, from what is agreed through `end`, which is beyond that.
    mutating func compare(_ replica: ReplicaID, through end: UInt64) {
        guard let standing = replicas[replica] else { return }
        let bisection = Bisection(
            equal: standing.agreed, end: end,
            theirs: end == standing.serverSeq ? standing.serverChain : nil)
        replicas[replica]?.work = .comparing(bisection)
        ask(replica, bisection.asked, theirs: bisection.needsTheirs)
    }

    private mutating func ask(_ replica: ReplicaID, _ seqs: [UInt64], theirs: Bool) {
        effects.append(.chains(replica, at: seqs))
        if theirs { send(.chainsAsked(replica, at: seqs)) }
    }

    /// One side said what its chains are.
    mutating func takeChains(_ replica: ReplicaID, _ answer: (inout Bisection) -> Bisection.Step?) {
        guard case .comparing(var bisection)? = replicas[replica]?.work else { return }
        let step = answer(&bisection)
        replicas[replica]?.work = .comparing(bisection)
        switch step {
        case nil: break
        case .ask(let seqs): ask(replica, seqs, theirs: true)
        case .equal:
            replicas[replica]?.work = .none
            agree(replica, through: bisection.end)
            guard replicas[replica]?.stop != nil, replicas[replica]?.uploading == 0 else {
                return resume(replica)
            }
            wantWhatIsLacking(of: replica)
            deal(with: replica)
        case .differs(let own):
            agree(replica, through: bisection.equal)
            replicas[replica]?.work = .moving
            replicas[replica]?.stop = nil
            effects.append(.moveBranch(replica, from: own))
        case .lost: stop(replica, Ack.Stop(code: .internal))
        }
    }

    /// Goes on with a replica that was left alone for a while: pushes may have been passed over.
    mutating func resume(_ replica: ReplicaID) {
        wantWhatIsLacking(of: replica)
        reconcile(replica)
    }

    private mutating func wantWhatIsLacking(of replica: ReplicaID) {
        if replicas[replica]?.serverSeq ?? 0 > local(replica).seq { want(replica) }
    }

    /// Asks the server to send the replica's events anew, unless it was asked already.
    mutating func want(_ replica: ReplicaID) {
        guard replicas[replica]?.isWanted == false else { return }
        replicas[replica]?.isWanted = true
        send(.want(replica, after: local(replica).seq))
    }

    /// Leaves the replica alone for a while; the others go on.
    mutating func stop(_ replica: ReplicaID, _ stop: Ack.Stop) {
        let until: Int64?
        switch stop.code {
        case .malformed: until = nil
        default: until = now + (stop.after.map { Int64($0) * 1000 } ?? Limits.retry)
        }
        replicas[replica]?.work = .stopped(until: until)
        replicas[replica]?.lacksEpoch = stop.code == .unknownEpoch
        replicas[replica]?.stop = nil
        effects.append(.stopped(replica, stop))
    }

    /// Tries those replicas again whose time has come.
    mutating func retryStopped() {
        for (replica, standing) in replicas.sorted(by: { $0.key < $1.key }) {
            guard case .stopped(let until?) = standing.work, until <= now else { continue }
            replicas[replica]?.work = .none
            replicas[replica]?.sent = 0
            replicas[replica]?.wasContradicted = false
            replicas[replica]?.doubt = .none
            replicas[replica]?.isWanted = false
            resume(replica)
        }
    }

    /// The device's log changed to this.
    mutating func take(_ vector: VersionVector) {
        guard var log else { return }
        let before = log.vector
        log.vector = vector
        // Not `self.log?.vector = vector`: in a type that can't be copied, Swift 6.3 leaks what is assigned so.
        self.log = log
        let changed = Set(before.heads.keys).union(vector.heads.keys).filter { before[$0] != vector[$0] }
        for replica in changed.sorted() {
            let seq = vector[replica].seq
            if seq < before[replica].seq { shrink(replica, to: seq) }
            reconcile(replica)
        }
    }

    /// A tail of the replica was moved away, or written anew under another name. The server may have been told that
    /// the device has it, and would keep back what another device writes under these names.
    private mutating func shrink(_ replica: ReplicaID, to seq: UInt64) {
        guard let standing = replicas[replica] else { return }
        replicas[replica]?.agreed = min(standing.agreed, seq)
        replicas[replica]?.sent = min(standing.sent, seq)
        replicas[replica]?.isWanted = false
        want(replica)
    }
}
