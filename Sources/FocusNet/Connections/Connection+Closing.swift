import CLibUV

extension Connection {
    /// Ends the connection in good order: what was sent is still written, then the peer is told (close_notify in
    /// TLS), then it gets time to take all that. From now on nothing is handed over and nothing more is sent.
    /// `closed` follows within `ConnectionLimits.closing`. Before `opened` it is the same as `abort`.
    package func close() {
        loop.assertCurrent()
        if phase < .flushing { close(within: limits.closing) }
    }

    /// The same in less time: `closed` follows within `time`, and within `ConnectionLimits.closing`. A connection that is
    /// closing already has that long from now on.
    package func close(within time: Duration) {
        loop.assertCurrent()
        guard phase >= .open else { return abort() }
        guard phase < .closed else { return }
        watchClosing(min(time, limits.closing))
        guard phase == .open else { return }
        phase = .flushing
        held = []
        touch()
        // What still arrives is read and thrown away, so that the peer doesn't get stuck and its end is seen.
        readOn()
    }

    /// Ends the connection at once; what is unsent is lost. `closed` follows with `.aborted`.
    package func abort() {
        loop.assertCurrent()
        end(with: NetError(.aborted, "the connection was given up"))
    }

    /// Everything is written: says so to the peer and waits for it to have taken it.
    func sayGoodbye() {
        phase = .lingering
        if let tls {
            tls.end()
            writeSealed()
        }
        shutDownAndLinger()
    }

    /// Ends the connection because of `error`, letting the peer read the alert that tells it why.
    func endAfterAlert(with error: NetError) {
        guard phase < .lingering else { return }
        outcome = error
        queue.removeAll()
        phase = .lingering
        writeSealed()
        watchClosing(min(limits.closing, .seconds(1)))
        shutDownAndLinger()
    }

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

    /// Closes the socket. `closed` is called once libuv has let go of it, with the first error there was.
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
            // Not from within a call of the handler's.
            loop.run { [self] in finish() }
        }
    }

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
    /// Gives looking up, connecting and the handshake together the time they may take.
    func watchHandshake() {
        let time = limits.handshake
        watch(time) { connection in
            let seconds = max(1, time.components.seconds)
            connection.end(
                with: NetError(
                    .timedOut, "\(connection.peerDescription) didn't answer within \(seconds) s"))
        }
    }

    /// Gives the peer the time it may be silent.
    func watchIdle() {
        deadline?.cancel()
        deadline = nil
        if let idle = limits.idle { watch(idle) { $0.lookAtSilence(idle) } }
    }

    /// Gives closing the time it may take; then the socket is closed anyway.
    func watchClosing(_ time: Duration) {
        watch(time) { connection in
            let isTaken = connection.phase == .lingering && connection.inFlight == 0
            connection.end(
                with: isTaken
                    ? nil
                    : NetError(.timedOut, "\(connection.peerDescription) didn't take what was left to send"))
        }
    }

    private func watch(_ time: Duration, _ body: @escaping (Connection) -> Void) {
        deadline?.cancel()
        // The timer goes when the connection does: `end` cancels it, which lets go of this.
        deadline = loop.schedule(after: time) { [self] in body(self) }
    }

    /// Reading doesn't restart the timer; the timer looks when the last reading was.
    private func lookAtSilence(_ idle: Duration) {
        // This side doesn't listen, and asks for nothing: the peer can't show a sign.
        if isPaused && queue.count + inFlight == 0 { lastSign = loop.now }
        let silent = loop.now - lastSign
        if silent < idle {
            isSilent = false
            deadline?.start(after: idle - silent)
        } else if !isSilent {
            // Timers come before sockets in a turn: where the whole process was held up, what arrived meanwhile
            // is read first.
            isSilent = true
            deadline?.start(after: .milliseconds(1))
        } else {
            end(with: NetError(.idle, "nothing was heard from \(peerDescription) for \(idle)"))
        }
    }
}
