/// How long a connection may take, and how much it may hold.
package struct ConnectionLimits: Hashable, Sendable {
    /// How long looking up the name, connecting and the TLS handshake may take together.
    package var handshake: Duration = .seconds(10)

    /// How long an open connection may be without a sign of life from the peer (bytes arriving, or a full
    /// socket draining); nil for ever. Time in which this side has paused reading and has nothing to send
    /// doesn't count.
    package var idle: Duration?

    /// How long an orderly close may take: sending what is unsent, and the peer's taking it.
    package var closing: Duration = .seconds(5)

    /// Above this many unsent bytes the sender should stop (`Connection.isFull`) and wait for `writable`.
    package var fullAbove = 64 * 1024

    /// `writable` comes when the unsent bytes have sunk to this many.
    package var resumeBelow = 16 * 1024

    /// Above this many unsent bytes the connection is closed with `.overflow`.
    package var maxUnsent = 8 * 1024 * 1024

    /// The usual limits: 10 s to open, no idle deadline, 5 s to close, full above 64 KiB, 8 MiB at most.
    package init() {}
}
