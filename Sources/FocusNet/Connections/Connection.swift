import CLibUV
import Synchronization

/// A stream of bytes to and from one peer: over TLS, or plain.
///
/// Made by a `Listener` or by `Connection.connect`. It lives on its loop's thread; every call elsewhere traps. It
/// stays alive by itself until it is over, and holds on to its handler until then.
///
/// Both directions are bounded. Incoming bytes are handed over as they arrive and are not collected; reading stops
/// while paused. What is sent is collected in `unsentBytes`, which the sender watches.
package final class Connection: LoopResource, LoopClient, @unchecked Sendable {
    // Unchecked: everything is touched on the loop's thread alone; each entry checks that.

    /// What protects a connection that this side makes.
    package enum Transport: Sendable {
        /// Nothing: for local sockets.
        case plain
        /// TLS 1.3, to a server with one of these keys and no other.
        case tls(TLSContext, pins: [KeyHash])
    }

    /// Where a connection is in its life; it only ever goes down this list.
    enum Phase: Int, Comparable {
        /// A name is looked up, or TCP connects.
        case connecting
        /// TLS is being agreed.
        case handshaking
        /// Bytes flow.
        case open
        /// Nothing is taken in any more; what was sent is still written, then the goodbye.
        case flushing
        /// All is written and the end is announced; waits for the peer to have taken it. (Closing a socket with
        /// unread bytes would make the kernel throw away what the peer has not read yet.)
        case lingering
        /// The socket is closed, or closing.
        case closed

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    /// As whom this side begins TLS, and with what.
    struct Security {
        let context: TLSContext
        let role: TLSSession.Role
    }

    /// A number that no other connection of this process has.
    package let id: UInt64

    /// The loop it lives on.
    package let loop: EventLoop

    /// Its deadlines and bounds.
    package let limits: ConnectionLimits

    /// Who is at the other end, for people: an address with a port, or the path of a local socket.
    package internal(set) var peerDescription: String

    /// The IP address of a client, of 4 bytes or 16; none on a local socket, and where this side connects.
    package let peerAddress: [UInt8]

    var phase: Phase
    /// Whether the peer was sent this side's part of the handshake, and hasn't answered yet.
    var isAnswerAwaited = false
    var handler: (any ConnectionHandler)?
    var stream: SocketStream?
    var tls: TLSSession?
    /// How TLS begins once connected; nil for plain.
    let security: Security?
    /// What `closed` will report: the first thing that went wrong.
    var outcome: NetError?
    /// What connects to the peer; nil before its addresses are known, and once it is connected.
    var attempts: ConnectionAttempts?

    // Reading, see Connection+Reading.
    var isPaused = false
    var isReading = false
    /// Bytes that arrived but could not be handed over before reading was paused.
    var held: [UInt8] = []
    /// Whether the handler has yet to hear of bytes that TLS or `held` may hold.
    var mayHold = false
    var hasPeerEnded = false
    /// Whether anything has come from the peer.
    var hasHeard = false

    // Writing, see Connection+Writing.
    var queue = SendQueue()
    /// How many bytes the socket didn't take yet, sealed where TLS is used.
    var inFlight = 0
    var wasFull = false
    var isTouched = false

    // Deadlines, see Connection+Closing.
    var deadline: LoopTimer?
    /// The loop's time at the last sign of life from the peer.
    var lastSign = Duration.zero
    /// Whether the peer was found silent for too long, and gets a last turn.
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

    /// The hash of the key that this side showed; nil before TLS has begun, and without it.
    package var ownKey: KeyHash? { tls?.ownKey }

    /// Whether bytes may be sent: `opened` has been or is being called, and nobody has ended it.
    package var isOpen: Bool {
        loop.assertCurrent()
        return phase == .open
    }

    /// Has `finishTurn` called when this turn ends.
    func touch() {
        if isTouched { return }
        isTouched = true
        loop.touch(self)
    }

    /// The turn's end: does what the handler's calls asked for, when no handler is at work.
    func finishTurn() {
        isTouched = false
        if phase == .open && !isPaused { handOverHeld() }
        flush()
        reportWritable()
    }

    func loopIsStopping() { end(with: NetError(.loopStopped, "the event loop is stopping")) }

    /// The connection that one of libuv's handles belongs to.
    static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> Connection? {
        guard let handle, let data = handlePointer(handle).pointee.data else { return nil }
        return Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
    }
}

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

    /// How long after one attempt to connect the next begins, at another of a server's addresses (RFC 8305 §5).
    package static let attemptDelay = Duration.milliseconds(250)

    /// The usual limits: 10 s to open, no idle deadline, 5 s to close, full above 64 KiB, 8 MiB at most.
    ///
    /// - Parameter patience: how long somebody waits for the connection, or nil if nobody does. Neither opening nor closing
    ///   takes longer.
    package init(within patience: Duration? = nil) {
        guard let patience else { return }
        handshake = min(handshake, patience)
        closing = min(closing, patience)
    }
}
