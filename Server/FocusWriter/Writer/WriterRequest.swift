package import FocusCore
package import FocusServerStore
package import FocusSync

/// What the writer is asked to do. What came from one connection is done in the order it came.
package enum WriterRequest: Sendable {
    /// What a member asks for in its group.
    case member(MemberRequest)
    /// Let a device in.
    case enrol(Enrol, device: Digest, from: ConnectionID)
    /// The device came back with what its invite gave it: nothing of the invite is needed any more.
    case endInvites(of: Digest)
    /// The device took the group's welcome for its own: it belongs there from now on, and nowhere else.
    case prove(Digest, GroupID, from: ConnectionID)
    /// The device has taken in that this key is announced.
    case told(Digest, of: Digest)
    /// Note what was last heard of devices, and the greatest time served since operators had accepted the clock so often; nil
    /// where that is known to be now.
    case note([Digest: Sighting], greatestServed: SharedInstant, acceptances: Int64? = nil)
    /// Another process has changed devices, or deleted groups: find out which.
    case reload
    /// Other servers have changed this in the store: find out what there is now, but for logs of groups that nobody here is of
    /// (`follow`), and say so, to a connection that waits for it too.
    case news(StoreNews, for: ConnectionID?)
    /// Somebody of the group is connected here from now on: whatever other servers store in it is to be read at once. Say so, to
    /// a connection that waits for it, once all that they have stored is read.
    case follow(GroupID, for: ConnectionID?)
    /// Nobody of the group is connected here any more: what other servers store in it needn't be read.
    case unfollow(GroupID)
    /// Servers that share the store are gone: find out which.
    case forgetGoneServers
    /// Say when all that was asked before is done.
    case barrier
}

/// What came of the writer's work; durable by the time anybody hears of it.
package enum WriterOutcome: Sendable {
    case merged(ReplicaID, head: Head, stop: Ack.Stop?, to: ConnectionID)
    /// The group's log has these events now, and this replica's head. Comes after every `merged` of the batch.
    case committed(Push, ReplicaHead, GroupID)
    case enrolled(Enrolled, to: ConnectionID)
    /// The connection can't go on.
    case ended(Refusal, to: ConnectionID)
    /// What came of a request for the group. `.handled` comes after the whole batch.
    case answered(GroupAnswer, to: ConnectionID)
    /// The group came to this server.
    case groupAdded(GroupIndex)
    /// The store has less of the group than connections were told of: a database that was behind has taken over.
    case setBack(GroupIndex)
    /// The group's roster says this of the device now.
    case device(StoredDevice)
    /// A group's roster says this now, all of it, and of who is connected to other servers.
    case roster([StoredDevice])
    /// What a connection waited for is known, and told.
    case caughtUp(ConnectionID)
    /// The group has this epoch's record now, or its body; nobody tells the connection that gave it.
    case epochAdded(EpochRecord, GroupID, from: ConnectionID?)
    /// These are all rosters and all groups there are: another process has changed something.
    case reloaded([StoredDevice], Set<GroupID>)
    /// What was last heard of these devices could not be stored.
    case notNoted([Digest: Sighting])
    /// The devices could not be looked at.
    case notReloaded
    /// What the whole batch came to; the last of its outcomes.
    case batch(BatchTally)
    case barrier
}

/// What a member asks for on a connection, in its group's turn. Where its device may no longer act in the group, the
/// connection ends instead.
package struct MemberRequest: Sendable {
    /// What it asks for.
    package enum Asked: Sendable {
        /// Merge an upload.
        case merge(Segment)
        /// Keep or change what the group has besides events.
        case group(GroupRequest)

        /// Whether it may shut a device out.
        var shutsOut: Bool {
            switch self {
            case .group(.revoke): true
            case .group(.roster(let roster)): roster.contains(where: \.isRevoked)
            case .merge, .group: false
            }
        }
    }

    /// What is to be done.
    package let asked: Asked
    /// The hash of the device's key, as it was shown in TLS.
    package let device: Digest
    /// The group that the device was welcomed in. Whether it still belongs there is looked up in the request's turn.
    package let group: GroupID
    /// Where the answer goes, and what ends where the device may no longer act.
    package let connection: ConnectionID

    /// What a device asks for on one of its connections.
    package init(_ asked: Asked, by device: Digest, in group: GroupID, from connection: ConnectionID) {
        self.asked = asked
        self.device = device
        self.group = group
        self.connection = connection
    }
}

/// How much work a request makes for the writer. One is about what it costs to hash an event: the same that a device's
/// and a group's rates count, so that nobody gets more of the writer by asking for something else than events to be
/// merged.
enum Work {
    /// To take a request up, and to say what came of it.
    static let asked = 1
    /// To look a row up.
    static let lookUp = 2
    /// To write a row.
    static let row = 8
    /// What bytes to be stored cost, a work for so many of them.
    static let bytes = 128
    /// How many things in memory are gone through for one.
    static let passed = 16

    /// A group has its turn for so much of it: 1 or 2 ms.
    static let turn = 2_048
    /// A batch ends once it has done so much, so that what comes meanwhile doesn't wait for long.
    static let batch = 8_192
}

extension WriterRequest {
    /// How much work it is besides being taken up, where that can be told beforehand; of an upload, at least.
    var work: Int {
        switch self {
        case .member(let request): request.asked.work
        case .enrol: Work.lookUp + Work.row
        case .endInvites, .told, .prove: Work.row
        case .note, .reload, .news, .follow, .unfollow, .forgetGoneServers, .barrier: 0
        }
    }

    /// The group whose turn it is done in, and the connection that asks for it; nil where it belongs to no group.
    package var place: (group: GroupID, connection: ConnectionID)? {
        switch self {
        case .member(let request): (request.group, request.connection)
        case .prove(_, let group, let connection): (group, connection)
        case .enrol, .endInvites, .told, .note, .reload, .news, .follow, .unfollow, .forgetGoneServers,
            .barrier:
            nil
        }
    }
}

extension MemberRequest.Asked {
    /// How much work it is besides being taken up, where that can be told beforehand; of an upload, at least.
    var work: Int {
        switch self {
        case .merge(let segment): segment.count
        case .group(.roster(let roster)): roster.count * (Work.lookUp + Work.row)
        case .group(.epoch(let record)), .group(.successor(let record, _)):
            Work.row + record.body.count / Work.bytes
        case .group(.createInvite), .group(.revoke): Work.lookUp + Work.row
        }
    }

    /// What a refusal is about, of what is refused to a device that has asked for as much as it may, and counted against
    /// that. Uploads see to that themselves, and nobody is kept from shutting a device out.
    var metered: Digest? {
        switch self {
        case .group(.createInvite(let request)): request.tokenHash
        case .group(.roster(let roster)): roster.first?.device
        case .group(.epoch(let record)), .group(.successor(let record, _)): Digest(naming: record.epoch)
        case .merge, .group(.revoke): nil
        }
    }
}
