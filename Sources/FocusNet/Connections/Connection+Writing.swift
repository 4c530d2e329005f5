import CLibUV

extension Connection {
    /// Sends bytes. They are collected until the turn's end and written in one piece; before `opened`, until then;
    /// after `close` or the end they are dropped.
    ///
    /// Over `ConnectionLimits.maxUnsent` unsent bytes the connection ends with `.overflow` instead.
    package func send(_ bytes: [UInt8]) {
        if accepts(bytes.count) { queue.append(bytes) }
    }

    /// Sends bytes, as the other `send` does, without an array.
    package func send(_ bytes: RawSpan) {
        if accepts(bytes.byteCount) { queue.append(bytes) }
    }

    /// How many bytes the socket has not taken yet, those of this turn included.
    package var unsentBytes: Int {
        loop.assertCurrent()
        return queue.count + inFlight
    }

    /// Whether more is unsent than `ConnectionLimits.fullAbove`: the sender should stop and wait for `writable`.
    package var isFull: Bool { unsentBytes > limits.fullAbove }

    private func accepts(_ count: Int) -> Bool {
        loop.assertCurrent()
        guard phase < .flushing else { return false }
        guard count <= limits.maxUnsent - queue.count - inFlight else {
            end(with: NetError(.overflow, "\(peerDescription) takes too little of what is sent"))
            return false
        }
        if queue.count + inFlight + count > limits.fullAbove { wasFull = true }
        touch()
        return true
    }

    /// Writes what is queued as far as the socket takes it, and goes on with closing once nothing is left.
    func flush() {
        guard phase == .open || phase == .flushing else { return }
        while inFlight == 0 && !queue.isEmpty && phase < .lingering {
            do throws(NetError) {
                if let tls {
                    let count = try queue.withFirst(Connection.sealedAtOnce) { bytes throws(NetError) in
                        try tls.seal(bytes)
                        return bytes.count
                    }
                    queue.drop(count)
                    writeSealed()
                } else {
                    let count = queue.withFirst(Connection.sealedAtOnce) { write($0) }
                    queue.drop(count)
                }
            } catch {
                return end(with: error)
            }
        }
        if inFlight > 0 { queue.giveBack() }
        if phase == .flushing && queue.isEmpty && inFlight == 0 { sayGoodbye() }
    }

    /// How many bytes are sealed before the socket is asked to take them: four TLS records.
    private static let sealedAtOnce = 64 * 1024

    /// Writes what TLS has put into the loop's output.
    func writeSealed() {
        let output = loop.buffers.sealed
        guard !output.isEmpty else { return }
        write(output.bytes)
        output.removeAll()
    }

    /// Writes as much as the socket takes and has libuv write the rest, of which it keeps a copy, in time.
    /// - Returns: How many bytes there are: all of them are taken care of.
    @discardableResult
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase < .closed, let stream, let start = bytes.baseAddress else { return bytes.count }
        var buffer = uv_buf_t(
            base: UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: CChar.self),
            len: bytes.count)
        let written = uv_try_write(stream.raw, &buffer, 1)
        if written == bytes.count { return bytes.count }
        if written < 0 && written != UV_EAGAIN.rawValue {
            end(with: NetError(status: written, "writing to \(peerDescription)"))
            return bytes.count
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[max(0, Int(written))...])
        // The peer could make TLS answer without ever reading the answers.
        guard rest.count <= limits.maxUnsent + Connection.sealedAtOnce - inFlight else {
            end(with: NetError(.overflow, "\(peerDescription) takes too little of what is sent"))
            return bytes.count
        }
        inFlight += rest.count
        PendingWrite.write(rest, of: self, to: stream)
        return bytes.count
    }

    /// The socket took what had been left, or failed to.
    func wrote(_ count: Int, status: Int32) {
        inFlight -= count
        guard phase < .closed else { return }
        if status < 0 {
            // Closing while it was under way is not the peer's doing.
            end(with: NetError(status: status, "writing to \(peerDescription)"))
            return
        }
        lastSign = loop.now
        flush()
        reportWritable()
    }

    /// Tells the handler that it may go on, where it had been told to stop.
    func reportWritable() {
        guard phase == .open, wasFull, queue.count + inFlight <= limits.resumeBelow else { return }
        wasFull = false
        handler?.writable(self)
    }
}

/// Bytes that a socket didn't take at once, until it has.
enum PendingWrite {
    /// Has libuv write a copy of `bytes` as the socket drains, and tells the connection afterwards.
    static func write(_ bytes: UnsafeRawBufferPointer, of connection: Connection, to stream: SocketStream) {
        // One block: the request, then how many bytes, then the bytes.
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
        written.connection.wrote(written.count, status: status)
    }

    /// Whose bytes they are, and how many.
    private final class Written {
        let connection: Connection
        let count: Int

        init(_ connection: Connection, _ count: Int) {
            self.connection = connection
            self.count = count
        }
    }
}
