import CLibUV

extension Connection {
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
        held = []
        touch()
        // Bytes that still arrive are read and discarded, so that the peer doesn't get stuck and its end is
        // noticed.
        readOn()
    }

    /// Ends the connection at once. Unsent bytes are lost. `closed` follows with `.aborted`.
    package func abort() {
        loop.assertCurrent()
        end(with: NetError(.aborted, "the connection was given up"))
    }

    /// Announces the end to the peer and waits until it has taken everything. All bytes are written by now.
    func sayGoodbye() {
        phase = .lingering
        if let tls {
            tls.end()
            writeSealed()
        }
        shutDownAndLinger()
    }

    /// Ends the connection because of `error`, but first lets the peer read the alert with the reason.
    func endAfterAlert(with error: NetError) {
        guard phase < .lingering else { return }
        outcome = error
        queue.removeAll()
        phase = .lingering
        writeSealed()
        watchClosing(min(limits.closing, .seconds(1)))
        shutDownAndLinger()
    }

    /// Ends this side's half of the connection, and reads until the peer ends its half.
    private func shutDownAndLinger() {
        guard phase == .lingering, let stream else { return }
        if hasPeerEnded { return end(with: nil) }
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let status = uv_shutdown(request, stream.raw) { request, _ in request?.deallocate() }
        if status < 0 {
            request.deallocate()
            return end(with: nil)
        }
        readOn()
    }

    /// Closes the socket. `closed` is called once libuv has released it, with the first error of the
    /// connection.
    func end(with error: NetError?) {
        guard phase < .closed else { return }
        phase = .closed
        outcome = outcome ?? error
        deadline?.cancel()
        deadline = nil
        held = []
        queue.removeAll()
        attempts?.cancel()
        attempts = nil
        if let stream {
            isReading = false
            stream.close { [self] in finish() }
        } else {
            // Later, because a call on a connection must not call its handler.
            loop.run { [self] in finish() }
        }
    }

    /// Reports the end to the handler.
    private func finish() {
        stream = nil
        tls = nil
        let handler = self.handler
        self.handler = nil
        loop.release(self)
        handler?.closed(self, error: outcome)
    }
}

extension Connection {
    /// Starts the deadline for the lookup, connecting and the handshake together.
    func watchHandshake() {
        let time = limits.handshake
        watch(time) { connection in
            let seconds = max(1, time.components.seconds)
            connection.end(
                with: NetError(
                    .timedOut, "\(connection.peerDescription) didn't answer within \(seconds) s"))
        }
    }

    /// Starts the deadline for a silent peer.
    func watchIdle() {
        deadline?.cancel()
        deadline = nil
        if let idle = limits.idle { watch(idle) { $0.lookAtSilence(idle) } }
    }

    /// Starts the deadline for closing. At the deadline the socket is closed anyway.
    func watchClosing(_ time: Duration) {
        watch(time) { connection in
            let isTaken = connection.phase == .lingering && connection.inFlight == 0
            connection.end(
                with: isTaken
                    ? nil
                    : NetError(.timedOut, "\(connection.peerDescription) didn't take what was left to send"))
        }
    }

    /// Starts a deadline in place of the earlier one.
    private func watch(_ time: Duration, _ body: @escaping (Connection) -> Void) {
        deadline?.cancel()
        // The timer ends with the connection: `end` cancels it, which releases this reference.
        deadline = loop.schedule(after: time) { [self] in body(self) }
    }

    /// Checks how long the peer has been silent. Reading doesn't restart the timer; it only records the time,
    /// which is compared here.
    private func lookAtSilence(_ idle: Duration) {
        // This side has paused reading and sends nothing, so the peer can't show that it is alive.
        if isPaused && queue.count + inFlight == 0 { lastSign = loop.now }
        let silent = loop.now - lastSign
        if silent < idle {
            isSilent = false
            deadline?.start(after: idle - silent)
        } else if !isSilent {
            // Timers come before sockets in a turn. If the whole process was delayed, the bytes that arrived
            // meanwhile are read first.
            isSilent = true
            deadline?.start(after: .milliseconds(1))
        } else {
            end(with: NetError(.idle, "nothing was heard from \(peerDescription) for \(idle)"))
        }
    }
}
