package import FocusCore

/// A request of a connection's session to its driver, the server. Requests are performed in the order
/// given. If a comment below names an answering method, the session continues with everything else
/// until that method is called.
package enum ServerEffect: Hashable, Sendable {
    /// Send these bytes to the client.
    case send([UInt8])
    /// Read from the connection from now on, or stop reading from it.
    case reading(Bool)
    /// The client has sent more than is handled in one turn. Call `beginTurn` after
    /// other sessions have had a turn.
    case turn

    /// Let the connection's device in with this token, and answer `enrolled` or `refuse`. A device that
    /// repeats a token that it has used gets the same answer again.
    case enrol(Enrol)
    /// Look up the group's data for the welcome, and answer with the session's method `entered`. From that
    /// same instant on, pass every commit (`committed`) and change of presence to the session.
    case enter(GroupID)
    /// Record that the client has accepted the welcome, by its `have`. Has no answer, and isn't the method
    /// `entered`.
    case entered

    /// Merge an upload (`ReplicaHead.merging`), make it durable, and answer `merged`, in
    /// the order of these requests.
    case merge(Segment)
    /// Read the replica's events from the seq `from` on, about `bytes` packed bytes, and answer `loaded`.
    case read(ReplicaID, from: UInt64, bytes: Int)
    /// Look up the group's chains of the replica at these seqs, and answer `chains`.
    case chains(ReplicaID, at: [UInt64])
    /// Look up the records with bodies of these epochs, from the first on: about `bytes` bytes, but at least
    /// one record. Answer `loaded`.
    case readEpochs([EpochID], bytes: Int)

    /// Perform this request for the group, and answer `answered` with its number.
    case ask(RequestNumber, GroupRequest)

    /// Send the remaining bytes, then close the connection. The session is over.
    case close(ServerCloseReason)
}

/// The reason why the server's session is over.
package enum ServerCloseReason: Hashable, Sendable {
    /// The client sent `bye`, or an `error` with this refusal.
    case clientLeft(Refusal?)
    /// The server sent `bye`, so that the client connects again.
    case left
    /// The server sent an `error` with this refusal.
    case refused(Refusal)
}

/// The server's two clocks, read at the same instant.
package struct ServerTime: Hashable, Sendable {
    /// The steady clock, which never jumps.
    package let steady: SteadyInstant
    /// Shared time; nil if the server isn't sure of its clock.
    package let shared: SharedReading?

    /// Creates a reading of both clocks.
    ///
    /// - Parameters:
    ///   - steady: The steady clock, from any origin.
    ///   - shared: Shared time; nil if the server isn't sure of its clock.
    package init(steady: SteadyInstant, shared: SharedReading?) {
        self.steady = steady
        self.shared = shared
    }
}
