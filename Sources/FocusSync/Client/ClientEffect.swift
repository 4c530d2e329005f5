package import FocusCore

/// A request of the client's session to its driver. The driver performs requests in the order
/// given. If a comment below names an answering method, the session continues with everything else
/// until that method is called.
package enum ClientEffect: Hashable, Sendable {
    /// Send these bytes to the server.
    case send([UInt8])

    /// The server let the device in: store the group and its key, then answer `joined`.
    case enrolled(Enrolled)
    /// The server's welcome arrived, so the device counts as connected. The welcome lists the group's devices
    /// and their presence.
    case connected(Welcome)
    /// Everything that the welcome named is merged: perform the device's own actions on returning
    /// (docs/timer-rules.md §5), then answer `returned`.
    case caughtUp

    /// Merge these events, which the server has (`ReplicaHead.merging` with `Admission.all`), and answer
    /// `merged`. Merged events count as acknowledged.
    case merge(Segment)
    /// Read the replica's events from the seq `from` on, about `bytes` packed bytes, and answer `loaded`.
    case read(ReplicaID, from: UInt64, bytes: Int)
    /// Look up the log's own chains of the replica at these seqs, and answer `chains`.
    case chains(ReplicaID, at: [UInt64])
    /// The server has another event in place of the log's event at this head. Move the tail that begins with
    /// the log's event to its branch, put aside the part that can't be read yet, and answer `moved`. If the
    /// log no longer has this chain there, only answer `moved`.
    case moveBranch(ReplicaID, from: Head)
    /// Re-author the events that lie ahead of shared time, and answer `reauthored`, even if there were none.
    case reauthor(Reauthoring)
    /// The server has durably stored this replica's events through this seq.
    case acknowledged(ReplicaID, through: UInt64)
    /// The server takes no more of this replica's events for now. Nothing is lost,
    /// and other replicas continue.
    case stopped(ReplicaID, Ack.Stop)

    /// From now on, shared time is the steady clock plus this reading's offset.
    case clock(ClockReading)
    /// Shared time seems to have jumped by this duration, which is more than 2 minutes.
    /// The offset stays as it was.
    case clockJumped(by: Duration)
    /// The server isn't sure of its clock. Nothing is uploaded until it is.
    case clockNotSure

    /// The presence of these devices changed.
    case presence([Presence])
    /// The device with this identity is revoked from now on.
    case revoked(Digest)
    /// The server has answered this request. The refusal is nil if it did as asked.
    case answered(GroupRequest, Refusal?)
    /// Store this epoch's record, and open all events and records that its key opens.
    case epoch(EpochRecord)

    /// Send the remaining bytes, then close the connection. The session is over.
    case close(ClientCloseReason)
}

/// A request to re-author the events that lie ahead of shared time (docs/protocol.md, "Re-authoring").
package struct Reauthoring: Hashable, Sendable {
    /// The last seq that the server has of each replica; 0 for a replica that is missing here. Only events
    /// beyond it may be re-authored.
    package let beyond: [ReplicaID: UInt64]
    /// The limit: events with a greater stamp lie ahead.
    package let limit: Stamp
    /// The greatest error found on this connection: the time by which the device's clock
    /// was ahead. Zero if it wasn't.
    package let error: Duration

    /// Creates a request to re-author the events that lie ahead.
    ///
    /// - Parameters:
    ///   - beyond: The last seq that the server has of each replica. Only events
    ///     beyond it may be re-authored.
    ///   - limit: The greatest stamp that doesn't lie ahead.
    ///   - error: The time by which the device's clock was ahead on this connection; zero if it wasn't.
    package init(beyond: [ReplicaID: UInt64], limit: Stamp, error: Duration) {
        self.beyond = beyond
        self.limit = limit
        self.error = error
    }
}

/// The reason why the client's session is over.
package enum ClientCloseReason: Error, Hashable, Sendable {
    /// This side ended the session.
    case finished
    /// The server sent `bye`.
    case serverLeft
    /// The server ended the session with this refusal.
    case refused(Refusal)
    /// The client and the server have no protocol version in common.
    case version(VersionMismatch)
    /// The server sent a message that it may not send, or one in the wrong form.
    case malformed(WireError)
    /// The server named more of something than any group may have.
    case excess(GroupSizeError)
    /// The server lists this device under another group.
    case otherGroup(GroupID)
    /// Nothing came from the server for `Limits.serverSilence`.
    case silence
}
