package import FocusCore

/// What the client's session asks its shell to do, in the order given. Each request is answered by the method
/// that its comment names; until then the session goes on with everything else.
package enum ClientEffect: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])

    /// The server let the device in: keep the group and its key, then answer `joined`.
    case enrolled(Enrolled)
    /// The server's welcome arrived: the device is connected. It lists the group's devices and their presence.
    case connected(Welcome)
    /// All that the welcome named has been merged: do what a device does by itself on returning
    /// (docs/timer-rules.md §5), then answer `returned`.
    case caughtUp

    /// Merge these events as the server has them (`ReplicaHead.merging` with `Admission.all`), and answer
    /// `merged`. What is merged counts as acknowledged.
    case merge(Segment)
    /// Read the replica's events from a seq on, about so many packed bytes, and answer `loaded`.
    case read(ReplicaID, from: UInt64, bytes: Int)
    /// Look up the log's own chains at these seqs, and answer `chains`.
    case chains(ReplicaID, at: [UInt64])
    /// The server has another event than this one of the log, which has this chain: move the tail from it on to its
    /// branch, or put aside what can't be read yet, and answer `moved`. Where the log has another event there by now,
    /// nothing is moved, and `moved` is the answer all the same.
    case moveBranch(ReplicaID, from: Head)
    /// Re-author what lies ahead, and answer `reauthored`, also where there was nothing.
    case reauthor(Reauthoring)
    /// The server has this replica's events through this seq, durably.
    case acknowledged(ReplicaID, through: UInt64)
    /// The server takes no more of this replica's events for now. Nothing is lost; other replicas go on.
    case stopped(ReplicaID, Ack.Stop)

    /// Shared time is the steady clock plus this offset from now on.
    case clock(ClockReading)
    /// Shared time seems to have jumped by so much, over 2 minutes: the offset stays as it was.
    case clockJumped(by: Duration)
    /// The server isn't sure of its clock: nothing is uploaded until it is.
    case clockNotSure

    /// These devices' presence changed.
    case presence([Presence])
    /// This device is kept out of the group from now on.
    case revoked(Digest)
    /// The invite of this token hash can be used.
    case inviteCreated(Digest)
    /// What was asked for this token hash, device or epoch was refused.
    case refused(Digest, Refusal)
    /// Keep this epoch's record, and open what can be opened with it.
    case epoch(EpochRecord)

    /// Close the connection, after what was to be sent. The session is over.
    case close(ClientClosing)
}

/// Events that lie ahead of shared time are written anew (docs/protocol.md, "Re-authoring").
package struct Reauthoring: Hashable, Sendable {
    /// The last seq that the server has of each replica, 0 where it isn't named: what lies beyond may be
    /// re-authored.
    package let beyond: [ReplicaID: UInt64]
    /// Events with a greater stamp lie ahead.
    package let limit: Stamp
    /// By how much the device's clock was found to be ahead on connecting; zero where it wasn't.
    package let error: Duration

    /// What is to be written anew.
    ///
    /// - Parameter error: how far the device's clock was ahead on connecting; zero where it wasn't.
    package init(beyond: [ReplicaID: UInt64], limit: Stamp, error: Duration) {
        self.beyond = beyond
        self.limit = limit
        self.error = error
    }
}

/// Why the client's session is over.
package enum ClientClosing: Error, Hashable, Sendable {
    /// This side wanted to.
    case finished
    /// The server said goodbye.
    case serverLeft
    /// The server refused to go on.
    case refused(Refusal)
    case version(VersionMismatch)
    /// The server said what it shouldn't, or not in the right form.
    case malformed(WireError)
    /// The server says that there is more than a group has.
    case excess(Excess)
    /// The server lists this device under another group.
    case otherGroup(GroupID)
    /// Nothing was heard for too long.
    case silence
}
