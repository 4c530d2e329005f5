import CLibUV
import Synchronization

/// A stream of bytes to and from one peer, over TLS or plain.
///
/// A `Listener` or `Connection.connect` makes it. It lives on its loop's thread; every call on another thread
/// traps. It keeps itself and its handler alive until it ends.
///
/// Memory is bounded in both directions. Arriving bytes are delivered at once and not collected; while
/// paused, nothing is read. Sent bytes are collected; the sender watches their number in `unsentBytes`.
package final class Connection: LoopResource, TurnEndObserver, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

    /// The protection of a connection that this side makes.
    package enum Transport: Sendable {
        /// Nothing: for local sockets.
        case plain
        /// TLS 1.3, only to a server with one of these keys.
        case tls(TLSContext, pins: [KeyHash])
    }

    /// A stage in the life of a connection. It only moves down this list.
    enum Phase: Int, Comparable {
        /// A name is being looked up, or TCP is connecting.
        case connecting
        /// The TLS handshake is under way.
        case handshaking
        /// Bytes flow.
        case open
        /// Nothing is delivered any more. Unsent bytes are still written, then the end is announced.
        case flushing
        /// Everything is written and the end is announced. The connection waits until the peer has taken it
        /// all. (If a socket is closed with unread bytes, the kernel discards bytes that the peer has not
        /// read yet.)
        case lingering
        /// The socket is closed, or closing.
        case closed

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    /// The side's role in TLS, and the context for it.
    struct Security {
        let context: TLSContext
        let role: TLSSession.Role
    }

    /// A number that is unique among the connections of this process.
    package let id: UInt64

    /// The loop it lives on.
    package let loop: EventLoop

    /// Its deadlines and limits.
    package let limits: ConnectionLimits

    /// The peer, for people: an address with a port, or the path of a local socket.
    package internal(set) var peerDescription: String

    /// The IP address of a client: 4 bytes or 16. Empty on a local socket, and if this side connects.
    package let peerAddress: [UInt8]

    var phase: Phase
    /// Whether the peer was sent this side's part of the handshake and hasn't answered yet.
    var isAnswerAwaited = false
    /// The recipient of the connection's events; nil once `closed` is called.
    var handler: (any ConnectionHandler)?
    /// The socket; nil until it is connected, and once it is closed.
    var stream: SocketStream?
    /// The TLS session; nil before it begins, after the end, and on a plain connection.
    var tls: TLSSession?
    /// The settings with which TLS begins once connected; nil on a plain connection.
    let security: Security?
    /// The error that `closed` will report: the first one.
    var outcome: NetError?
    /// The attempts to connect to the peer. Nil before its addresses are known, and once one has succeeded.
    var attempts: ConnectionAttempts?

    // Reading, see Connection+Reading.
    /// Whether the handler has paused reading.
    var isPaused = false
    /// Whether libuv reads from the socket.
    var isReading = false
    /// Bytes that arrived but were not delivered: reading is paused, or the handshake waits for its turn.
    var held: [UInt8] = []
    /// Whether TLS or `held` may contain bytes that the handler hasn't received.
    var mayHold = false
    /// Whether the peer has ended its side, or reading has failed.
    var hasPeerEnded = false
    /// Whether any byte has arrived from the peer.
    var hasHeard = false

    // Writing, see Connection+Writing.
    /// The sent bytes that are neither written nor encrypted yet.
    var queue = SendQueue()
    /// The number of bytes that wait in libuv for the socket to take them; encrypted if TLS is used.
    var inFlight = 0
    /// Whether the connection has been full (`isFull`) since the last `writable`.
    var wasFull = false
    /// Whether `finishTurn` is scheduled for this turn's end.
    var isTouched = false

    // Deadlines, see Connection+Closing.
    /// The timer of the present deadline (handshake, silence or closing); nil if there is none.
    var deadline: LoopTimer?
    /// The loop's time at the last sign of life of the peer.
    var lastSign = Duration.zero
    /// Whether the peer was silent for too long. Bytes that have arrived already still count.
    var isSilent = false

    private static let nextID = Atomic<UInt64>(1)

    init(
        on loop: EventLoop, peer: String, address: [UInt8] = [], limits: ConnectionLimits, security: Security?
    ) {
        loop.assertCurrent()
        id = Connection.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        self.loop = loop
        self.limits = limits
        peerDescription = peer
        peerAddress = address
        self.security = security
        phase = .connecting
        lastSign = loop.now
        loop.retain(self)
    }

    /// The hash of this side's key. Nil before TLS has begun, and on a plain connection.
    package var ownKey: KeyHash? { tls?.ownKey }

    /// Whether the connection is open: `opened` was called or is being called, and neither side has ended the
    /// connection.
    package var isOpen: Bool {
        loop.assertCurrent()
        return phase == .open
    }

    /// Schedules `finishTurn` for this turn's end.
    func touch() {
        if isTouched { return }
        isTouched = true
        loop.touch(self)
    }

    /// Does the work that calls on the connection postponed to the turn's end, when no handler is running.
    func finishTurn() {
        isTouched = false
        if phase == .open && !isPaused { handOverHeld() }
        flush()
        reportWritable()
    }

    func loopIsStopping() { end(with: NetError(.loopStopped, "the event loop is stopping")) }

    /// Returns the connection of a libuv handle.
    static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> Connection? {
        guard let handle, let data = handlePointer(handle).pointee.data else { return nil }
        return Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
    }
}

/// The recipient of a connection's events.
///
/// Every call comes on the connection's loop thread, synchronously, and never from inside a call to the
/// connection: `send`, `pauseReading`, `resumeReading`, `close` and `abort` return before any of these
/// follows. An actor on that loop may be the handler: its methods are then `nonisolated` and begin with
/// `assumeIsolated`, for which `Connection` and `RawSpan` are Sendable. A class that belongs to such an actor
/// may be a handler too.
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

    /// The time between the starts of two attempts to connect, at different addresses of a server (RFC 8305
    /// §5).
    package static let attemptDelay = Duration.milliseconds(250)

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
