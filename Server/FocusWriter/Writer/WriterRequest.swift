package import FocusCore
package import FocusServerStore
package import FocusSync

/// What the writer is asked to do. What came from one connection is done in the order it came.
package enum WriterRequest: Sendable {
    /// What a member asks for on a connection; where its device may no longer act in its group, the connection ends
    /// instead.
    indirect case member(Digest, WriterRequest, from: ConnectionID)
    /// Merge an upload.
    case merge(Segment, GroupID, by: Digest, from: ConnectionID)
    /// Let a device in.
    case enrol(Enrol, device: Digest, from: ConnectionID)
    /// The device came back with what its invite gave it: nothing of the invite is needed any more.
    case settled(Digest)
    /// The device took the group's welcome for its own: it belongs there from now on, and nowhere else.
    case prove(Digest, GroupID, from: ConnectionID)
    case createInvite(InviteRequest, GroupID, by: Digest, from: ConnectionID)
    case revoke(Digest, GroupID, from: ConnectionID)
    case roster([RosterEntry], GroupID, from: ConnectionID)
    case epoch(EpochRecord, GroupID, from: ConnectionID)
    case successor(EpochRecord, discounting: [EpochID], GroupID, from: ConnectionID)
    /// The device has taken in that this key is announced.
    case told(Digest, of: Digest)
    /// Note what was last heard of devices and the greatest time served, in milliseconds since the Unix epoch.
    case note([Digest: Sighting], greatestServed: Int64)
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
    case inviteCreated(Digest, to: ConnectionID)
    /// What was asked for this token hash, device or epoch was refused.
    case refused(Digest, Refusal, to: ConnectionID)
    /// The device that was to be revoked had been before.
    case wasRevoked(Digest, to: ConnectionID)
    /// The group came to this server.
    case groupAdded(GroupIndex)
    /// The group's roster says this of the device now.
    case device(StoredDevice)
    /// The group has this epoch's record now, or its body; nobody tells the connection that gave it.
    case epochAdded(EpochRecord, GroupID, from: ConnectionID?)
    /// The connection asked for an epoch to be kept, and these were here before. Their records may be long, and many: they
    /// are read as the connection takes them.
    case epochsExist([EpochID], to: ConnectionID)
    /// A request about devices, invites or epochs is done, whatever came of it.
    case handled(to: ConnectionID)
    /// These are all rosters and all groups there are: another process has changed something.
    case reloaded([StoredDevice], Set<GroupID>)
    /// The devices could not be looked at.
    case notReloaded
    /// What the whole batch came to; the last of its outcomes.
    case batch(BatchTally)
    case barrier
}
