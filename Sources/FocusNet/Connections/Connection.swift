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
    package let peerDescription: String

    /// The IP address of a client: 4 bytes or 16. Empty on a local socket, and if this side connects.
    package let peerAddress: [UInt8]

    /// Whether the socket carries a WebSocket, and the content of its binary messages is TLS.
    let isWebSocket: Bool

    /// The stage, which decides what the parts do.
    private(set) var phase = Phase.connecting
    /// The recipient of the connection's events; nil once `closed` is called.
    private(set) var handler: (any ConnectionHandler)?
    /// The socket, for both halves; nil until it is connected, and once it is closed.
    private(set) var stream: SocketStream?
    /// The error that `closed` will report: the first one.
    private var outcome: NetError?
    /// The attempts to connect to the peer. Nil before its addresses are known, and once one has succeeded.
    private var attempts: ConnectionAttempts?
    /// Whether `finishTurn` is scheduled for this turn's end.
    private var isTouched = false
    /// The settings of `handshake`; nil on a plain connection.
    private let security: Security?
    let deadline: ConnectionDeadline
    private(set) lazy var handshake = ConnectionHandshake(of: self, security)
    private(set) lazy var input = ConnectionInput(of: self)
    private(set) lazy var output = ConnectionOutput(of: self)

    private static let nextID = Atomic<UInt64>(1)

    init(
        on loop: EventLoop, peer: String, address: [UInt8] = [], limits: ConnectionLimits,
        security: Security?, isWebSocket: Bool = false
    ) {
        loop.assertCurrent()
        id = Connection.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        self.loop = loop
        self.limits = limits
        peerDescription = peer
        peerAddress = address
        self.security = security
        self.isWebSocket = isWebSocket
        deadline = ConnectionDeadline(on: loop)
        loop.retain(self)
    }

    /// The hash of this side's key. Nil before TLS has begun, and on a plain connection.
    package var ownKey: KeyHash? { handshake.session?.ownKey }

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

    /// Does the work that earlier calls postponed to the turn's end. No handler is running then.
    func finishTurn() {
        isTouched = false
        if phase == .open && !input.isPaused { input.handOverHeld() }
        output.flush()
        output.reportWritable()
    }

    func loopIsStopping() { end(with: NetError(.loopStopped, "the event loop is stopping")) }

    /// Returns the connection of a libuv handle.
    static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> Connection? {
        guard let handle, let data = handlePointer(handle).pointee.data else { return nil }
        return Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
    }

    /// Sets the recipient of the connection's events, before the first one.
    func attach(_ handler: any ConnectionHandler) { self.handler = handler }

    // MARK: - Reading and writing

    /// Stops delivering bytes until `resumeReading`. The kernel's buffers fill up, which slows the peer down.
    /// The end of the peer isn't noticed while reading is paused.
    package func pauseReading() {
        loop.assertCurrent()
        input.pause()
    }

    /// Delivers arriving bytes again, from this turn's end on.
    package func resumeReading() {
        loop.assertCurrent()
        input.resume()
    }

    /// Whether reading is paused.
    package var isReadingPaused: Bool {
        loop.assertCurrent()
        return input.isPaused
    }

    /// The number of bytes that had arrived when reading was paused, and have not been delivered.
    package var heldBytes: Int {
        loop.assertCurrent()
        return input.heldBytes
    }

    /// Sends bytes. They are collected, and written in one piece when the loop's turn ends (`EventLoop`, "A
    /// turn"), or when the connection opens if that is later. After `close` or the end they are dropped. If
    /// more than `ConnectionLimits.maxUnsent` bytes would be unsent, the connection ends with `.overflow`.
    package func send(_ bytes: [UInt8]) {
        loop.assertCurrent()
        output.send(bytes)
    }

    /// Sends bytes like the other `send`, without an array.
    package func send(_ bytes: RawSpan) {
        loop.assertCurrent()
        output.send(bytes)
    }

    /// The number of bytes that the socket has not taken yet, including those of this turn.
    package var unsentBytes: Int {
        loop.assertCurrent()
        return output.unsentBytes
    }

    /// Whether more than `ConnectionLimits.fullAbove` bytes are unsent. The sender should then stop and wait
    /// for `writable`.
    package var isFull: Bool { unsentBytes > limits.fullAbove }

    // MARK: - Opening

    /// Tries to connect to one of these addresses.
    func attempt(_ addresses: [SocketAddress]) {
        let attempts = ConnectionAttempts(addresses, for: peerDescription, on: loop) { [weak self] result in
            guard let self, phase == .connecting else {
                (try? result.get())?.close {}
                return
            }
            self.attempts = nil
            switch result {
            case .success(let stream): begin(stream)
            case .failure(let error): end(with: error)
            }
        }
        self.attempts = attempts
        attempts.begin()
    }

    /// Takes over a connected stream and begins: with TLS, or by reporting `opened` at once.
    func begin(_ connected: SocketStream) {
        stream = connected
        connected.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        connected.sendAtOnce()
        connected.keepLittleUnsent()
        guard !handshake.isPlain else {
            becomeOpen(peer: nil)
            input.readOn()
            return
        }
        phase = .handshaking
        if !deadline.isSet { watchHandshake() }
        handshake.begin()
        input.readOn()
    }

    /// Continues the handshake with the bytes that arrived earlier. The loop calls this when it is this
    /// connection's turn (`EventLoop.requestHandshakeTurn`).
    func continueHandshake() {
        guard phase == .handshaking else { return }
        input.takeHeld()
        input.readOn()
    }

    /// Reports that the connection is open.
    func becomeOpen(peer: KeyHash?) {
        phase = .open
        deadline.heard()
        watchIdle()
        // Bytes that were sent before the connection opened are written at the turn's end.
        if output.isQueued { touch() }
        handler?.opened(self, peer: peer)
    }

    // MARK: - Closing

    /// Closes the connection in order: writes the unsent bytes, then announces the end (close_notify in TLS),
    /// then waits until the peer has read all this. From now on nothing is delivered and `send` does nothing.
    /// `closed` follows within `ConnectionLimits.closing`. Before `opened` this is the same as `abort`.
    package func close() {
        loop.assertCurrent()
        if phase < .flushing { close(within: limits.closing) }
    }

    /// Closes in order, as `close()` does, but in less time: `closed` follows within `time` and within
    /// `ConnectionLimits.closing`. If the connection is closing already, the time counts from now.
    package func close(within time: Duration) {
        loop.assertCurrent()
        guard phase >= .open else { return abort() }
        guard phase < .closed else { return }
        watchClosing(min(time, limits.closing))
        guard phase == .open else { return }
        phase = .flushing
        input.discardHeld()
        touch()
        // Bytes that still arrive are read and discarded, so that the peer doesn't get stuck and its end is
        // noticed.
        input.readOn()
    }

    /// Ends the connection at once. Unsent bytes are lost. `closed` follows with `.aborted`.
    package func abort() {
        loop.assertCurrent()
        end(with: NetError(.aborted, "the connection was given up"))
    }

    /// Announces the end to the peer and waits until it has taken everything. All bytes are written by now.
    func announceEnd() {
        phase = .lingering
        if let tls = handshake.session {
            tls.end()
            output.writeSealed()
        }
        if isWebSocket { output.write(frame: WebSocketFrame.close(WebSocketFrame.normalClosure)) }
        shutDownAndLinger()
    }

    /// Ends the connection because of `error`, but first lets the peer read the alert with the reason, and on
    /// a WebSocket the close frame.
    func endAfterAlert(
        with error: NetError?, closeFrame: [UInt8] = WebSocketFrame.close(WebSocketFrame.policyViolation)
    ) {
        guard phase < .lingering else { return }
        outcome = error
        output.removeAll()
        phase = .lingering
        output.writeSealed()
        if isWebSocket { output.write(frame: closeFrame) }
        watchClosing(min(limits.closing, .seconds(1)))
        shutDownAndLinger()
    }

    /// Ends this side's half of the connection, and reads until the peer ends its half.
    private func shutDownAndLinger() {
        guard phase == .lingering, let stream else { return }
        if input.hasPeerEnded { return end(with: nil) }
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let status = uv_shutdown(request, stream.raw) { request, _ in request?.deallocate() }
        if status < 0 {
            request.deallocate()
            return end(with: nil)
        }
        input.readOn()
    }

    /// Closes the socket. `closed` is called once libuv has released it, with the first error of the
    /// connection.
    func end(with error: NetError?) {
        guard phase < .closed else { return }
        phase = .closed
        outcome = outcome ?? error
        deadline.cancel()
        input.discardHeld()
        output.removeAll()
        attempts?.cancel()
        attempts = nil
        if let stream {
            stream.close { [self] in finish() }
        } else {
            // Later, because a call on a connection must not call its handler.
            loop.run { [self] in finish() }
        }
    }

    /// Reports the end to the handler.
    private func finish() {
        stream = nil
        handshake.end()
        let handler = self.handler
        self.handler = nil
        loop.release(self)
        handler?.closed(self, error: outcome)
    }

    // MARK: - Deadlines

    // The timer's closure holds the connection strongly. `end` cancels the timer, which releases the closure.

    /// Starts the deadline for the lookup, connecting and the handshake together.
    func watchHandshake() {
        deadline.set(after: limits.handshake) { [self] in
            let seconds = max(1, limits.handshake.components.seconds)
            end(with: NetError(.timedOut, "\(peerDescription) didn't answer within \(seconds) s"))
        }
    }

    /// Starts the deadline for a silent peer.
    private func watchIdle() {
        deadline.cancel()
        if let idle = limits.idle { deadline.set(after: idle) { [self] in checkSilence(idle) } }
    }

    /// Starts the deadline for closing. At the deadline the socket is closed anyway.
    private func watchClosing(_ time: Duration) {
        deadline.set(after: time) { [self] in
            let isTaken = phase == .lingering && output.inFlight == 0
            end(
                with: isTaken
                    ? nil
                    : NetError(.timedOut, "\(peerDescription) didn't take what was left to send"))
        }
    }

    /// Ends the connection if the peer has been silent for `idle`.
    private func checkSilence(_ idle: Duration) {
        // This side has paused reading and sends nothing, so the peer can't show that it is alive.
        if input.isPaused && output.unsentBytes == 0 { deadline.heard() }
        if deadline.checkSilence(limit: idle) {
            end(with: NetError(.idle, "nothing was heard from \(peerDescription) for \(idle)"))
        }
    }
}
