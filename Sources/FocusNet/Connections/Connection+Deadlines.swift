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
        let silent = Duration.milliseconds(Int64(clamping: loop.now &- lastSign))
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
