package import FocusCore

// What the server answers to the session's requests, and what happens in the group.
extension ServerSession {
    /// The device was let in (the answer to `.enrol`; the other one is `refuse`).
    package mutating func enrolled(_ enrolled: Enrolled) -> [ServerEffect] {
        guard case .enrolling = state else { return [] }
        standing = .member(enrolled.group)
        decoder.limit = limits.frame
        send(.enrolled(enrolled))
        enter(enrolled.group)
        return finish()
    }

    /// What the group has (the answer to `.enter`).
    ///
    /// - Parameter listed: the welcome's vector, where it was listed before.
    package mutating func entered(_ welcome: Welcome, listed: ListedVector? = nil) -> [ServerEffect] {
        guard case .entering = state else { return [] }
        state = .welcomed
        let listed = listed ?? ListedVector(welcome.vector)
        exchange.events.record(listed)
        exchange.epochs.add(welcome.epochs)
        send(welcome.encoded(listed))
        return finish()
    }

    /// What an upload came to, durably (the answer to `.merge`, in the order of those). To be told before the
    /// commit is given as `committed`, or the client is sent its own events.
    ///
    /// - Parameters:
    ///   - head: the replica's head after it.
    ///   - stop: why the upload's end was not reached, where it wasn't.
    package mutating func merged(_ replica: ReplicaID, head: Head, stop: Ack.Stop?) -> [ServerEffect] {
        guard !isClosed, let (upload, isOwned) = exchange.uploads.answered(replica) else { return [] }
        send(.ack(Ack(replica: replica, head: head, stop: stop)))
        if let stop, stop.code == .rate, let after = stop.after {
            paces.uploads.refused(after: after, heard: heard.steady)
        } else {
            paces.uploads = RefusalPace()
        }
        switch stop?.code {
        case RefusalCode.parted, RefusalCode.gap: break
        case _ where !isOwned: break
        default: exchange.events.knows(replica, through: min(head.seq, upload.lastSeq))
        }
        return finish()
    }

    /// The events that were asked for (the answer to `.read`).
    ///
    /// - Parameters:
    ///   - segment: they begin at the seq asked for; nil where there are none.
    ///   - head: the replica's last seq, as it was read with them.
    package mutating func loaded(_ replica: ReplicaID, _ segment: Segment?, head: UInt64) -> [ServerEffect] {
        guard !isClosed, exchange.events.loaded(replica, segment, head: head), let segment else {
            return finish()
        }
        send(.push(segment))
        return finish()
    }

    /// The epochs' records that were asked for (the answer to `.readEpochs`).
    ///
    /// - Parameters:
    ///   - records: those that there are.
    ///   - count: how many of what was asked for was looked up, from the first on: one at least.
    package mutating func loaded(_ records: [EpochRecord], lookedUp count: Int) -> [ServerEffect] {
        guard !isClosed else { return [] }
        exchange.epochs.loaded(count)
        for record in records { send(.epoch(record)) }
        return finish()
    }

    /// The chains that were asked for (the answer to `.chains`, in the order of those), less those that there
    /// aren't.
    package mutating func chains(_ replica: ReplicaID, _ heads: [Head]) -> [ServerEffect] {
        guard !isClosed else { return [] }
        exchange.chainsAsked -= 1
        send(.chains(replica, heads))
        return finish()
    }

    /// Events of the group were committed, through whichever connection.
    ///
    /// - Parameter mayBeSent: whether they may be sent as they are. Otherwise they are read again in time.
    package mutating func committed(_ push: Push, mayBeSent: Bool = true) -> [ServerEffect] {
        guard group != nil else { return [] }
        if exchange.events.commits(push, isOpen: mayBeSent && isLive && isWritable) { pass(push.frame) }
        return finish()
    }

    /// These devices of the group came or went.
    package mutating func presence(_ changes: [Presence]) -> [ServerEffect] {
        guard group != nil else { return [] }
        for change in changes { exchange.news.add(change) }
        return finish()
    }

    /// What the writer says of a request (the answer to `.ask`). `.handled` is to be told once for each, or nothing more
    /// is read.
    package mutating func answered(_ answer: GroupAnswer) -> [ServerEffect] {
        guard group != nil else { return [] }
        switch answer {
        case .inviteCreated(let tokenHash): send(.inviteCreated(tokenHash))
        case .wasRevoked(let device): return revoked(device)
        case .epochsExist(let others): for epoch in others { exchange.epochs.add(epoch) }
        case .refused(let subject, let refusal):
            if refusal.code == .rate, case .after(let after) = refusal.retry {
                paces.requests.refused(after: after, heard: heard.steady)
            }
            send(.refused(subject, refusal))
        case .handled: guard exchange.requests.handled() else { return [] }
        }
        return finish()
    }

    /// A device of the group is kept out from now on; where it is this one, the session ends.
    package mutating func revoked(_ device: Digest) -> [ServerEffect] { revoked([device]) }

    /// Devices of the group are kept out from now on; where this one is among them, the session ends.
    package mutating func revoked(_ devices: [Digest]) -> [ServerEffect] {
        guard !devices.contains(device) else {
            standing = .revoked
            return refuse(Refusal(.revoked, "this device was revoked"))
        }
        guard group != nil else { return [] }
        for device in devices { exchange.news.add(revoked: device) }
        return finish()
    }

    /// The group has an epoch's record that the client lacks.
    ///
    /// - Parameter mayBeSent: whether it may be sent as it is. Otherwise it is read again in time.
    package mutating func epoch(_ news: EpochNews, mayBeSent: Bool = true) -> [ServerEffect] {
        guard group != nil else { return [] }
        if mayBeSent, isWritable {
            pass(news.frame)
        } else {
            exchange.epochs.add(news.epoch)
        }
        return finish()
    }
}
