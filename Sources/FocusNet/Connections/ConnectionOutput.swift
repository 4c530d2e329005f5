import CLibUV

/// The sending half of a connection: collects bytes, encrypts them and writes them to the socket.
final class ConnectionOutput {
    private unowned let connection: Connection
    /// The sent bytes that are neither written nor encrypted yet.
    private var queue = SendQueue()
    /// The number of bytes that wait in libuv for the socket to take them; encrypted if TLS is used.
    private(set) var inFlight = 0
    /// Whether the connection has been full (`Connection.isFull`) since the last `writable`.
    private var wasFull = false

    init(of connection: Connection) { self.connection = connection }

    /// The number of bytes that the socket has not taken yet, including those of this turn.
    var unsentBytes: Int { queue.count + inFlight }

    func send(_ bytes: [UInt8]) { if accepts(bytes.count) { queue.append(bytes) } }
    func send(_ bytes: RawSpan) { if accepts(bytes.byteCount) { queue.append(bytes) } }

    /// Whether bytes wait to be written.
    var isQueued: Bool { !queue.isEmpty }

    /// Drops the bytes that aren't written.
    func removeAll() { queue.removeAll() }

    /// Whether `count` more bytes can be sent. Ends the connection if they would be too many.
    private func accepts(_ count: Int) -> Bool {
        guard connection.phase < .flushing else { return false }
        guard count <= connection.limits.maxUnsent - unsentBytes else {
            connection.end(
                with: NetError(.overflow, "\(connection.peerDescription) takes too little of what is sent"))
            return false
        }
        if unsentBytes + count > connection.limits.fullAbove { wasFull = true }
        connection.touch()
        return true
    }

    /// Writes queued bytes until the socket takes no more. If nothing is left, continues with closing.
    func flush() {
        guard connection.phase == .open || connection.phase == .flushing else { return }
        while inFlight == 0 && !queue.isEmpty && connection.phase < .lingering {
            do throws(NetError) {
                if let tls = connection.handshake.session {
                    let count = try queue.withFirst(ConnectionOutput.sealedAtOnce) { bytes throws(NetError) in
                        try tls.seal(bytes)
                        return bytes.count
                    }
                    queue.drop(count)
                    writeSealed()
                } else {
                    let count = queue.withFirst(ConnectionOutput.sealedAtOnce) { write($0) }
                    queue.drop(count)
                }
            } catch {
                return connection.end(with: error)
            }
        }
        if inFlight > 0 { queue.giveBack() }
        if connection.phase == .flushing && queue.isEmpty && inFlight == 0 { connection.announceEnd() }
    }

    /// The maximum number of bytes that are encrypted before they are written to the socket: four TLS
    /// records.
    private static let sealedAtOnce = 64 * 1024

    /// Writes the bytes that TLS has put into the loop's shared output; on a WebSocket as one message.
    func writeSealed() {
        let output = connection.loop.buffers.sealed
        guard !output.isEmpty else { return }
        if connection.isWebSocket {
            write(frame: WebSocketFrame.binaryHeader(of: output.count) + output.bytes)
        } else {
            write(output.bytes)
        }
        output.removeAll()
    }

    /// Writes frames of a WebSocket.
    func write(frame: [UInt8]) { frame.withUnsafeBytes { _ = write($0) } }

    /// Writes as many bytes as the socket takes; libuv copies the rest and writes it later.
    /// - Returns: `bytes.count`, because each byte is handled: written, waiting in libuv, or dropped with the
    ///   connection.
    @discardableResult
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard connection.phase < .closed, let stream = connection.stream, let start = bytes.baseAddress else {
            return bytes.count
        }
        var buffer = uv_buf_t(
            base: UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: CChar.self),
            len: bytes.count)
        let written = uv_try_write(stream.raw, &buffer, 1)
        if written == bytes.count { return bytes.count }
        if written < 0 && written != UV_EAGAIN.rawValue {
            connection.end(with: NetError(status: written, "writing to \(connection.peerDescription)"))
            return bytes.count
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[max(0, Int(written))...])
        // `send` doesn't count the bytes that TLS itself writes. A peer could make TLS answer again and again
        // without ever reading the answers.
        guard rest.count <= connection.limits.maxUnsent + ConnectionOutput.sealedAtOnce - inFlight else {
            connection.end(
                with: NetError(.overflow, "\(connection.peerDescription) takes too little of what is sent"))
            return bytes.count
        }
        inFlight += rest.count
        PendingWrite.write(rest, of: connection, to: stream)
        return bytes.count
    }

    /// Handles the end of a pending write: the socket has taken `count` bytes, or failed to.
    func wrote(_ count: Int, status: Int32) {
        inFlight -= count
        guard connection.phase < .closed else { return }
        if status < 0 {
            // A write that this side cancelled by closing isn't an error of the peer; `phase` is checked
            // above.
            connection.end(with: NetError(status: status, "writing to \(connection.peerDescription)"))
            return
        }
        connection.deadline.heard()
        flush()
        reportWritable()
    }

    /// Reports `writable` if the handler was told to stop and may now continue.
    func reportWritable() {
        guard connection.phase == .open, wasFull, unsentBytes <= connection.limits.resumeBelow else { return }
        wasFull = false
        connection.handler?.writable(connection)
    }
}

/// Bytes that a socket didn't take at once, until it takes them.
enum PendingWrite {
    /// Makes libuv write a copy of `bytes` when the socket has room, and calls the connection's `wrote`
    /// afterwards.
    static func write(_ bytes: UnsafeRawBufferPointer, of connection: Connection, to stream: SocketStream) {
        // One block of memory: the request, then the bytes.
        let header = MemoryLayout<uv_write_t>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: header + bytes.count, alignment: 16)
        let request = block.bindMemory(to: uv_write_t.self, capacity: 1)
        let copy = UnsafeMutableRawBufferPointer(start: block + header, count: bytes.count)
        copy.copyMemory(from: bytes)
        request.pointee.data = Unmanaged.passRetained(Written(connection, bytes.count)).toOpaque()
        var buffer = uv_buf_t(base: copy.baseAddress?.assumingMemoryBound(to: CChar.self), len: bytes.count)
        let status = uv_write(request, stream.raw, &buffer, 1) { request, status in
            PendingWrite.finish(request, status)
        }
        if status < 0 { finish(request, status) }
    }

    private static func finish(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let written = Unmanaged<Written>.fromOpaque(data).takeRetainedValue()
        UnsafeMutableRawPointer(request).deallocate()
        written.connection.output.wrote(written.count, status: status)
    }

    /// The connection of the bytes, and their number.
    private final class Written {
        let connection: Connection
        let count: Int

        init(_ connection: Connection, _ count: Int) {
            self.connection = connection
            self.count = count
        }
    }
}
