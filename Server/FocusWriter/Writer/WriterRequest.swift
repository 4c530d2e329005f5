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
    /// Note what was last heard of devices and the greatest time served.
    case note([Digest: Sighting], greatestServed: SharedInstant)
    /// Another process has changed devices, or deleted groups: find out which.
    case reload
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
    /// The group's roster says this of the device now.
    case device(StoredDevice)
    /// The group has this epoch's record now, or its body; nobody tells the connection that gave it.
    case epochAdded(EpochRecord, GroupID, from: ConnectionID?)
    /// These are all rosters and all groups there are: another process has changed something.
    case reloaded([StoredDevice], Set<GroupID>)
    /// The devices could not be looked at.
    case notReloaded
    /// What the whole batch came to; the last of its outcomes.
    case batch(BatchTally)
    case barrier
}
