package import FocusCore

// Answers of the server to the session's requests, and changes in the group.
extension ServerSession {
    /// Continues after the device was let in. It is one of two answers to `.enrol`; the other is `refuse`.
    package mutating func enrolled(_ enrolled: Enrolled) -> [ServerEffect] {
        guard case .enrolling = state else { return [] }
        standing = .member(enrolled.group)
        decoder.limit = limits.frame
        send(.enrolled(enrolled))
        enter(enrolled.group)
        return finish()
    }

    /// Sends the welcome. The answer to `.enter`.
    ///
    /// - Parameter listed: The welcome's vector, already encoded; nil to encode it here.
    package mutating func entered(_ welcome: Welcome, listed: EncodedVector? = nil) -> [ServerEffect] {
        guard case .entering = state else { return [] }
        state = .welcomed
        let listed = listed ?? EncodedVector(welcome.vector)
        exchange.events.record(listed)
        exchange.epochs.offer(welcome.epochs)
        send(welcome.encoded(listed))
        return finish()
    }

    /// Acknowledges an upload. Its result is durable now. The answer to `.merge`, in the order of these
    /// requests. Call it before `committed` for the same events; otherwise the client is sent its own events.
    ///
    /// - Parameters:
    ///   - head: The replica's head after the merge.
    ///   - stop: The reason to stop before the upload's end, or nil if the merge reached it.
    package mutating func merged(_ replica: ReplicaID, head: Head, stop: Ack.Stop?) -> [ServerEffect] {
        guard !isClosed, let (upload, isHeldByClient) = exchange.uploads.answered(replica) else { return [] }
        send(.ack(Ack(replica: replica, head: head, stop: stop)))
        if let stop, stop.code == .rate, let after = stop.after {
            rateLimiters.uploads.refused(after: after, heard: heard.steady)
        } else {
            rateLimiters.uploads = RefusalLimiter()
        }
        switch stop?.code {
        case RefusalCode.parted, RefusalCode.gap: break
        case _ where !isHeldByClient: break
        default: exchange.events.knows(replica, through: min(head.seq, upload.lastSeq))
        }
        return finish()
    }

    /// Sends events that were read. The answer to `.read`.
    ///
    /// - Parameters:
    ///   - segment: The events, from the requested seq on; nil if there are none.
    ///   - head: The replica's last seq, read together with them.
    package mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, head: UInt64) -> [ServerEffect] {
        guard !isClosed, exchange.events.loaded(replica, segment, head: head), let segment else {
            return finish()
        }
        send(.push(segment))
        return finish()
    }

    /// Sends records of epochs that were read. The answer to `.readEpochs`.
    ///
    /// - Parameters:
    ///   - records: The records found.
    ///   - count: The number of requested epochs that were looked up, from the first on; at least one.
    package mutating func loaded(_ records: [EpochRecord], lookedUp count: Int) -> [ServerEffect] {
        guard !isClosed else { return [] }
        exchange.epochs.loaded(count)
        for record in records { send(.epoch(record)) }
        return finish()
    }

    /// Sends the chains that were looked up. The answer to `.chains`, in the order of these requests, without
    /// the seqs that the group doesn't have.
    package mutating func chains(_ replica: ReplicaID, _ heads: [Head]) -> [ServerEffect] {
        guard !isClosed else { return [] }
        exchange.chainsAsked -= 1
        send(.chains(replica, heads))
        return finish()
    }

    /// Sends events of the group that were committed on any connection, or notes them to be read later.
    ///
    /// - Parameter mayBeSent: Whether they may be sent as they are. Otherwise they are
    ///   read from the store later.
    package mutating func committed(_ push: EncodedPush, mayBeSent: Bool = true) -> [ServerEffect] {
        guard group != nil else { return [] }
        if exchange.events.recordCommit(push, isOpen: mayBeSent && isLive && isWritable) { pass(push.frame) }
        return finish()
    }

    /// Sends the changed presence of devices of the group, as soon as the client takes it.
    package mutating func presence(_ changes: [Presence]) -> [ServerEffect] {
        guard group != nil else { return [] }
        for change in changes { exchange.news.add(change) }
        return finish()
    }

    /// Handles the writer's answer to a request (`.ask`). If the answers don't come, the session stops
    /// reading.
    package mutating func answered(_ number: RequestNumber, _ answer: GroupAnswer) -> [ServerEffect] {
        guard group != nil, exchange.requests.answered() else { return [] }
        if case .refused(let refusal) = answer, refusal.code == .rate, case .after(let after) = refusal.retry
        {
            rateLimiters.requests.refused(after: after, heard: heard.steady)
        } else {
            rateLimiters.requests.answered(heard: heard.steady)
        }
        switch answer {
        case .done: send(.done(number))
        case .epochsExist(let others):
            for epoch in others { exchange.epochs.add(epoch) }
            send(.done(number))
        case .refused(let refusal): send(.refused(number, refusal))
        }
        return finish()
    }

    /// Tells the client that a device of its group was revoked. If it is the client itself, the session ends.
    package mutating func revoked(_ device: Digest) -> [ServerEffect] { revoked([device]) }

    /// Tells the client that devices of its group were revoked. If the client itself is
    /// among them, the session ends.
    package mutating func revoked(_ devices: [Digest]) -> [ServerEffect] {
        guard !devices.contains(device) else {
            standing = .revoked
            return refuse(Refusal(.revoked, "this device was revoked"))
        }
        guard group != nil else { return [] }
        for device in devices { exchange.news.add(revoked: device) }
        return finish()
    }

    /// Sends an epoch's record that the client lacks, or notes it to be read later.
    ///
    /// - Parameter mayBeSent: Whether it may be sent as it is. Otherwise it is read from the store later.
    package mutating func epoch(_ news: EncodedEpochRecord, mayBeSent: Bool = true) -> [ServerEffect] {
        guard group != nil else { return [] }
        if mayBeSent, isWritable {
            pass(news.frame)
        } else {
            exchange.epochs.add(news.epoch)
        }
        return finish()
    }
}
