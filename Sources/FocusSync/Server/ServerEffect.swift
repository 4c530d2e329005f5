package import FocusCore

/// What a connection's session asks the server to do, in the order given. Each request is answered by the method
/// that its comment names; until then the session goes on with everything else.
package enum ServerEffect: Hashable, Sendable {
    /// Send these bytes.
    case send([UInt8])
    /// Read from the connection from now on, or don't.
    case reading(Bool)
    /// The client has said more than is looked at in one turn: answer `goOn` once others have had theirs.
    case turn

    /// Let the connection's device in with this token, and answer `enrolled` or `refuse`. A device that repeats a
    /// token which it used is answered the same again.
    case enrol(Enrol)
    /// Say what the group has, answer `entered`, and from that same instant give the session every commit
    /// (`committed`) and change of presence.
    case enter(GroupID)
    /// Take note that the client has taken in the welcome.
    case entered

    /// Merge an upload (`ReplicaHead.merging`), make it durable, and answer `merged`, in the order of the requests.
    case merge(Segment)
    /// Read the replica's events from a seq on, about so many packed bytes, and answer `loaded`.
    case read(ReplicaID, from: UInt64, bytes: Int)
    /// Look up the chains at these seqs, and answer `chains`.
    case chains(ReplicaID, at: [UInt64])
    /// Look up these epochs' records with bodies, from the first on, about so many bytes of them and one at least, and
    /// answer `loaded`.
    case readEpochs([EpochID], bytes: Int)

    /// Do this for the group, and answer `answered`, with `.handled` last. A roster has `Limits.rosterPiece` devices at
    /// most.
    case ask(GroupRequest)

    /// Close the connection, after what was to be sent. The session is over.
    case close(ServerClosing)
}

/// Why the server's session is over.
package enum ServerClosing: Hashable, Sendable {
    /// The client said goodbye, or gave a reason.
    case clientLeft(Refusal?)
    /// This side said goodbye, so that the client connects anew.
    case left
    /// The client was told why.
    case refused(Refusal)
}

/// The server's two clocks, read at once.
package struct ServerTime: Hashable, Sendable {
    /// A clock that never jumps.
    package let steady: SteadyInstant
    /// Nil where the server isn't sure of its clock.
    package let shared: SharedReading?

    /// Both clocks as they were read.
    ///
    /// - Parameters:
    ///   - steady: from any beginning.
    ///   - shared: nil where the server isn't sure of its clock.
    package init(steady: SteadyInstant, shared: SharedReading?) {
        self.steady = steady
        self.shared = shared
    }
}
