package import FocusCore

// What the shell answers to the session's requests, and what happens on the device.
extension ClientSession {
    /// The device has made itself at home in the group (the answer to `.enrolled`).
    package mutating func joined(_ log: LocalLog) -> [ClientEffect] {
        guard case .enrolled = state else { return [] }
        self.log = log
        state = .awaitingWelcome
        readFrames()
        return finish()
    }

    /// The device's log has this now: something was pressed, imported, or came another way. Chains have to be up
    /// to date.
    package mutating func logChanged(_ vector: VersionVector) -> [ClientEffect] {
        guard !isClosed else { return [] }
        take(vector)
        return finish()
    }

    /// What a push came to (the answer to `.merge`, in the order of those).
    ///
    /// - Parameters:
    ///   - head: the replica's head after it.
    ///   - stop: why the segment's end was not reached, where it wasn't.
    package mutating func merged(_ replica: ReplicaID, head: Head, stop: RefusalCode?) -> [ClientEffect] {
        guard !isClosed, let segment = merging.next(replica) else { return [] }
        if head.seq > local(replica).seq { replicas[replica]?.doubt = .none }
        log?.vector[replica] = head
        guard replicas[replica]?.work == ReplicaStanding.Work.none else { return finish() }
        switch stop {
        case nil:
            replicas[replica]?.isWanted = false
            agree(replica, through: min(head.seq, segment.lastSeq), isKnownToShell: true)
            reconcile(replica)
        case RefusalCode.parted?:
            // Nothing of it was taken: what was wanted still is, should the logs turn out to be equal.
            replicas[replica]?.isWanted = false
            pushParted(replica, through: min(head.seq, segment.lastSeq))
        case RefusalCode.gap?: want(replica)
        case let code?: self.stop(replica, Ack.Stop(code: code))
        }
        return finish()
    }

    /// The events to be uploaded (the answer to `.read`).
    ///
    /// - Parameter segment: they begin at the seq asked for; nil where there are none any more.
    package mutating func loaded(_ replica: ReplicaID, _ segment: Segment?) -> [ClientEffect] {
        guard !isClosed, let from = uploads.loaded(replica) else { return [] }
        guard let segment, segment.firstSeq == from else {
            // The log has changed: the shell is about to say so.
            uploads.drop(replica)
            return finish()
        }
        guard case .live = state, let standing = replicas[replica], standing.work == .none,
            standing.stop == nil, max(standing.sent, standing.serverSeq) + 1 == from, !shared.isGiving
        else { return finish() }
        replicas[replica]?.sent = segment.lastSeq
        replicas[replica]?.uploading += 1
        uploads.send(segment)
        send(.upload(segment))
        return finish()
    }

    /// The log's own chains (the answer to `.chains`), less those that there aren't.
    package mutating func chains(_ replica: ReplicaID, _ heads: [Head]) -> [ClientEffect] {
        guard !isClosed else { return [] }
        takeChains(replica) { $0.take(mine: heads) }
        return finish()
    }

    /// The replica's tail was moved to its branch (the answer to `.moveBranch`), here or by another process, and the log
    /// has this now.
    package mutating func moved(_ replica: ReplicaID, _ vector: VersionVector) -> [ClientEffect] {
        guard !isClosed, replicas[replica]?.work == .moving else { return [] }
        replicas[replica]?.work = .none
        replicas[replica]?.isWanted = false
        take(vector)
        resume(replica)
        return finish()
    }

    /// The device did what it does by itself (the answer to `.caughtUp`), and the log has this now.
    package mutating func returned(_ vector: VersionVector, at now: Int64) -> [ClientEffect] {
        guard case .returning = state else { return [] }
        self.now = now
        take(vector)
        if clock.hasReading { isReauthoringDue = true } else { state = .awaitingClock }
        return finish()
    }

    /// What lay ahead was re-authored (the answer to `.reauthor`), and the log has this now.
    package mutating func reauthored(_ vector: VersionVector) -> [ClientEffect] {
        guard case .reauthoring = state else { return [] }
        state = .live
        take(vector)
        for replica in replicas.keys.sorted() { reconcile(replica) }
        return finish()
    }

    /// Asks the server for something of the group. What it names (`GroupRequest.awaited`) is answered by `.inviteCreated`,
    /// `.revoked`, `.epoch` or `.refused`; at once by the last where there is no connection.
    package mutating func ask(_ request: GroupRequest) -> [ClientEffect] {
        guard isConnected else {
            guard let subject = request.awaited else { return [] }
            let refusal = Refusal(.notAllowed, "not connected to the server", retry: .after(0))
            effects.append(.refused(subject, refusal))
            return finish()
        }
        if case .successor = request, shared.isGiving {
            // The server may lack the epoch before it.
            shared.append(request)
        } else {
            send(request.message)
        }
        return finish()
    }
}
