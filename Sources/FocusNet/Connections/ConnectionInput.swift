import CLibUV

/// The receiving half of a connection: reads from the socket, and delivers the content to the handler.
final class ConnectionInput {
    private unowned let connection: Connection
    private var handshake: ConnectionHandshake { connection.handshake }
    /// Whether the handler has paused reading. The deadline for silence depends on it.
    private(set) var isPaused = false
    /// Whether libuv reads from the socket.
    private var isReading = false
    /// Bytes that arrived but were not delivered: reading is paused, or the handshake waits for its turn.
    private var held: [UInt8] = []
    /// Whether TLS or `held` may contain bytes that the handler hasn't received.
    private var mayHold = false
    /// Whether the peer has ended its side, or reading has failed. Then closing waits for nothing.
    private(set) var hasPeerEnded = false
    /// Whether any byte has arrived from the peer.
    private var hasHeard = false
    /// The decoder of a WebSocket's frames; nil if there is no WebSocket.
    private var decoder: WebSocketDecoder?

    init(of connection: Connection) {
        self.connection = connection
        if connection.isWebSocket { decoder = WebSocketDecoder() }
    }

    /// The number of bytes that had arrived when reading was paused, and have not been delivered.
    var heldBytes: Int { held.count }

    /// Stops delivering bytes.
    func pause() {
        isPaused = true
        // A connection that is closing reads on to see the peer's end.
        if connection.phase < .flushing { stop() }
    }

    /// Delivers arriving bytes again, from this turn's end on.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        connection.deadline.heard()
        connection.touch()
    }

    /// Starts reading from the socket, unless reading is paused or useless.
    func readOn() {
        guard !isReading, !(isPaused && connection.phase == .open), !hasPeerEnded, connection.phase < .closed,
            let stream = connection.stream
        else { return }
        isReading = true
        let status = uv_read_start(
            stream.raw,
            { handle, _, buffer in
                guard let input = Connection.of(handle)?.loop.buffers.input else { return }
                buffer?.pointee.base = input.baseAddress?.assumingMemoryBound(to: CChar.self)
                buffer?.pointee.len = input.count
            },
            { stream, count, buffer in
                guard let connection = Connection.of(stream) else { return }
                if count > 0 {
                    connection.input.arrived(
                        UnsafeMutableRawBufferPointer(start: buffer?.pointee.base, count: count))
                } else if count < 0 {
                    connection.input.readFailed(Int32(truncatingIfNeeded: count))
                }
            })
        if status < 0 {
            connection.end(with: NetError(status: status, "reading from \(connection.peerDescription)"))
        }
    }

    private func stop() {
        guard isReading, let stream = connection.stream else { return }
        isReading = false
        uv_read_stop(stream.raw)
    }

    /// Handles bytes from the socket, which are in the loop's shared buffer. A WebSocket's content replaces
    /// them there.
    func arrived(_ bytes: UnsafeMutableRawBufferPointer) {
        connection.deadline.heard()
        hasHeard = true
        guard let decoded = decoder?.decode(bytes) else { return handle(UnsafeRawBufferPointer(bytes)) }
        if decoded.count > 0 { handle(UnsafeRawBufferPointer(rebasing: bytes[..<decoded.count])) }
        guard connection.phase < .lingering else { return }
        switch decoded.end {
        case nil:
            // While the client takes nothing, its pings needn't be answered (RFC 6455 §5.5.3).
            let isTaken = connection.output.inFlight == 0
            if isTaken, !decoded.reply.isEmpty { connection.output.write(frame: decoded.reply) }
        case .closed?:
            // A client that has ended its TLS before has said its goodbye.
            connection.endAfterAlert(
                with: connection.phase == .flushing ? nil : endWithoutGoodbye, closeFrame: decoded.reply)
        case .violation(let violation)?:
            connection.endAfterAlert(
                with: NetError(
                    .badWebSocket,
                    "\(connection.peerDescription) violates RFC 6455: close code \(violation.rawValue)"),
                closeFrame: decoded.reply)
        }
    }

    private var endWithoutGoodbye: NetError {
        NetError(.closed, "\(connection.peerDescription) ended the connection without a goodbye")
    }

    /// Discards the held bytes, because nothing is delivered any more.
    func discardHeld() { held = [] }

    /// Delivers the bytes held while reading was paused, then reads on.
    func handOverHeld() {
        if mayHold { takeHeld() }
        readOn()
    }

    /// Handles the held bytes as if they arrived now.
    func takeHeld() {
        let bytes = held
        held = []
        bytes.withUnsafeBytes { handle($0) }
    }

    /// Handles bytes that arrived: delivers their content, or advances the handshake.
    private func handle(_ bytes: UnsafeRawBufferPointer) {
        guard connection.phase == .open || connection.phase == .handshaking else { return }
        guard !handshake.isPlain else { return handOver(plain: bytes) }
        guard connection.phase == .open || handshake.requestTurn() else {
            held = Array(bytes)
            return stop()
        }
        guard let tls = handshake.makeSessionIfNeeded() else { return }
        tls.input = bytes
        if connection.phase == .handshaking { handshake.advance() }
        if connection.phase == .open { handOverOpened(tls) }
        // The buffer is about to be used for another connection.
        held = connection.phase == .open ? Array(tls.input) : []
        tls.input = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Delivers bytes of a plain connection, or holds them while reading is paused.
    private func handOver(plain bytes: UnsafeRawBufferPointer) {
        mayHold = false
        if isPaused {
            held = Array(bytes)
            mayHold = true
        } else if !bytes.isEmpty {
            connection.handler?.received(bytes.bytes, on: connection)
        }
    }

    /// Decrypts and delivers bytes until the session needs more input, or reading is paused.
    private func handOverOpened(_ tls: TLSSession) {
        let room = connection.loop.buffers.plain
        while connection.phase == .open {
            mayHold = isPaused
            if isPaused { return }
            do throws(NetError) {
                let opened = try tls.open(into: room)
                // A record may ask for an answer (a key update).
                connection.output.writeSealed()
                if opened.count > 0 {
                    connection.handler?.received(
                        UnsafeRawBufferPointer(rebasing: room[..<opened.count]).bytes, on: connection)
                }
                switch opened.end {
                case .full: continue
                case .needsInput: return
                case .peerEnded: return connection.close()
                }
            } catch {
                return connection.endAfterAlert(with: error)
            }
        }
    }

    /// Handles the peer's end, or an error of reading.
    private func readFailed(_ status: Int32) {
        isReading = false
        hasPeerEnded = true
        let isEnd = status == UV_EOF.rawValue
        switch connection.phase {
        case .lingering:
            // The peer has taken everything, or has gone.
            connection.end(with: nil)
        case .open where isEnd && handshake.isPlain:
            connection.close()
        case .flushing where isEnd:
            // The peer may still read the bytes that are being written.
            break
        default:
            let error =
                isEnd
                ? endWithoutGoodbye
                : NetError(status: status, "reading from \(connection.peerDescription)")
            let isUnbegun = connection.phase == .handshaking && !hasHeard && error.code == .closed
            connection.end(with: isUnbegun ? NetError(.saidNothing, error.context) : error)
        }
    }
}
