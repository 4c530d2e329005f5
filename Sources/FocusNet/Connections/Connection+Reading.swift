import CLibUV

extension Connection {
    /// Stops delivering bytes until `resumeReading`. The kernel's buffers fill up, which slows the peer down.
    /// The end of the peer isn't noticed while reading is paused.
    package func pauseReading() {
        loop.assertCurrent()
        isPaused = true
        // A connection that is closing reads on to see the peer's end.
        if phase < .flushing { stopReading() }
    }

    /// Delivers arriving bytes again, from this turn's end on.
    package func resumeReading() {
        loop.assertCurrent()
        guard isPaused else { return }
        isPaused = false
        lastSign = loop.now
        touch()
    }

    /// Whether reading is paused.
    package var isReadingPaused: Bool {
        loop.assertCurrent()
        return isPaused
    }

    /// The number of bytes that had arrived when reading was paused, and have not been delivered.
    package var heldBytes: Int {
        loop.assertCurrent()
        return held.count
    }

    /// Starts reading from the socket, unless reading is paused or useless.
    func readOn() {
        guard !isReading, !(isPaused && phase == .open), !hasPeerEnded, phase < .closed, let stream else {
            return
        }
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
                    connection.arrived(UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count))
                } else if count < 0 {
                    connection.readFailed(Int32(truncatingIfNeeded: count))
                }
            })
        if status < 0 { end(with: NetError(status: status, "reading from \(peerDescription)")) }
    }

    func stopReading() {
        guard isReading, let stream else { return }
        isReading = false
        uv_read_stop(stream.raw)
    }

    /// Handles bytes from the socket, which are in the loop's shared buffer.
    private func arrived(_ bytes: UnsafeRawBufferPointer) {
        lastSign = loop.now
        hasHeard = true
        handle(bytes)
    }

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
        guard phase == .open || phase == .handshaking else { return }
        guard security != nil else { return handOver(plain: bytes) }
        guard phase == .open || mayShakeHands() else {
            held = Array(bytes)
            return stopReading()
        }
        guard let tls = begunSession() else { return }
        tls.input = bytes
        if phase == .handshaking { advanceHandshake() }
        if phase == .open { handOverOpened(tls) }
        // The buffer is about to be used for another connection.
        held = phase == .open ? Array(tls.input) : []
        tls.input = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Delivers bytes of a plain connection, or holds them while reading is paused.
    private func handOver(plain bytes: UnsafeRawBufferPointer) {
        mayHold = false
        if isPaused {
            held = Array(bytes)
            mayHold = true
        } else if !bytes.isEmpty {
            handler?.received(bytes.bytes, on: self)
        }
    }

    /// Decrypts and delivers bytes until the session needs more input, or reading is paused.
    private func handOverOpened(_ tls: TLSSession) {
        let room = loop.buffers.plain
        while phase == .open {
            mayHold = isPaused
            if isPaused { return }
            do throws(NetError) {
                let opened = try tls.open(into: room)
                // A record may ask for an answer (a key update).
                writeSealed()
                if opened.count > 0 {
                    handler?.received(UnsafeRawBufferPointer(rebasing: room[..<opened.count]).bytes, on: self)
                }
                switch opened.end {
                case .full: continue
                case .needsInput: return
                case .peerEnded: return close()
                }
            } catch {
                return endAfterAlert(with: error)
            }
        }
    }

    /// Handles the peer's end, or an error of reading.
    private func readFailed(_ status: Int32) {
        isReading = false
        hasPeerEnded = true
        let isEnd = status == UV_EOF.rawValue
        switch phase {
        case .lingering:
            // The peer has taken everything, or has gone.
            end(with: nil)
        case .open where isEnd && security == nil:
            close()
        case .flushing where isEnd:
            // The peer may still read the bytes that are being written.
            break
        default:
            let error =
                isEnd
                ? NetError(.closed, "\(peerDescription) ended the connection without a goodbye")
                : NetError(status: status, "reading from \(peerDescription)")
            let isUnbegun = phase == .handshaking && !hasHeard && error.code == .closed
            end(with: isUnbegun ? NetError(.saidNothing, error.context) : error)
        }
    }
}
