/// Whoever is told what happens on a connection.
///
/// Every call comes on the connection's loop thread, synchronously, and never from within a call to the
/// connection: `send`, `pauseReading`, `resumeReading`, `close` and `abort` return before any of these follows.
/// An actor on that loop may be the handler: its methods are then `nonisolated` and begin with
/// `assumeIsolated`, for which `Connection` and `RawSpan` are Sendable. A class that an actor on that loop keeps
/// to itself may be one too.
package protocol ConnectionHandler: AnyObject {
    /// The connection can be used. `peer` is the key that the peer proved to hold, nil on a plain connection.
    ///
    /// On the client's side this says that the server is the pinned one, not that the server takes the client:
    /// in TLS 1.3 the server checks the client's certificate later.
    func opened(_ connection: Connection, peer: KeyHash?)

    /// Bytes arrived, in order, at most 64 KiB a call and at least one. They are valid during the call only.
    func received(_ bytes: RawSpan, on connection: Connection)

    /// What was unsent has sunk to `ConnectionLimits.resumeBelow` after it had been over
    /// `ConnectionLimits.fullAbove`.
    func writable(_ connection: Connection)

    /// The connection is over: the last call, made exactly once, also where it never opened. `error` is nil
    /// after an orderly end by either side.
    func closed(_ connection: Connection, error: NetError?)
}
