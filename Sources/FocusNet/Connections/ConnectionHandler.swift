/// The recipient of a connection's events.
///
/// Its methods are called on the connection's loop thread. They are never called from inside a call to the
/// connection: `send`, `pauseReading`, `resumeReading`, `close` and `abort` return first.
///
/// An actor on that loop may be the handler. Its methods are then `nonisolated`, and enter the actor by
/// `assumeIsolated`. That requires Sendable parameters, which `Connection` and `RawSpan` are. A class that
/// belongs to such an actor may be a handler too.
package protocol ConnectionHandler: AnyObject {
    /// The connection is open. `peer` is the hash of the key that the peer proved to hold, or nil on a plain
    /// connection. A client doesn't know yet whether the server accepts it: in TLS 1.3 the server checks the
    /// client's certificate later.
    func opened(_ connection: Connection, peer: KeyHash?)

    /// Bytes arrived: the next ones in order, at least one and at most 64 KiB. They are valid during the call
    /// only.
    func received(_ bytes: RawSpan, on connection: Connection)

    /// The number of unsent bytes has fallen to `ConnectionLimits.resumeBelow` after it was over
    /// `ConnectionLimits.fullAbove`.
    func writable(_ connection: Connection)

    /// The connection has ended. This is the last call. It is made exactly once, even if the connection never
    /// opened. `error` is nil after an orderly end by either side.
    func closed(_ connection: Connection, error: NetError?)
}

/// The deadlines and memory limits of a connection.
package struct ConnectionLimits: Hashable, Sendable {
    /// The time for looking up the name, connecting and the TLS handshake together.
    package var handshake: Duration = .seconds(10)

    /// The time for which an open connection may go without a sign of life of the peer (bytes that arrive, or
    /// a full socket that drains). Nil for no limit. Time in which this side has paused reading and has
    /// nothing to send doesn't count.
    package var idle: Duration?

    /// The time for an orderly close, until the peer has read all unsent bytes.
    package var closing: Duration = .seconds(5)

    /// The number of unsent bytes above which the sender should stop (`Connection.isFull`) and wait for
    /// `writable`.
    package var fullAbove = 64 * 1024

    /// The number of unsent bytes at or below which `writable` is called.
    package var resumeBelow = 16 * 1024

    /// The number of unsent bytes above which the connection ends with `.overflow`.
    package var maxUnsent = 8 * 1024 * 1024

    /// The usual limits: 10 s to open, no idle deadline, 5 s to close, full above 64 KiB, 8 MiB at most.
    ///
    /// - Parameter patience: The time for which somebody waits for the connection, or nil if nobody does.
    ///   Neither opening nor closing takes longer.
    package init(within patience: Duration? = nil) {
        guard let patience else { return }
        handshake = min(handshake, patience)
        closing = min(closing, patience)
    }
}
