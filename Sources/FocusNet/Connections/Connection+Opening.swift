import CLibUV

extension Connection {
    /// Takes over a stream that is connected and begins: with TLS, or by reporting `opened` at once.
    func begin(_ connected: SocketStream) {
        stream = connected
        connected.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        connected.sendAtOnce()
        connected.keepLittleUnsent()
        guard let makeSession else {
            becomeOpen(peer: nil)
            readOn()
            return
        }
        phase = .handshaking
        if deadline == nil { watchHandshake() }
        do throws(NetError) {
            tls = try makeSession()
        } catch {
            return end(with: error)
        }
        advanceHandshake()
        readOn()
    }

    /// Takes the handshake on by what has arrived; afterwards bytes may be left for the handler.
    func advanceHandshake() {
        guard let tls else { return }
        do throws(NetError) {
            let isDone = try tls.handshake()
            writeSealed()
            if isDone && phase == .handshaking { becomeOpen(peer: tls.peerKey) }
        } catch {
            endAfterAlert(with: error)
        }
    }

    /// It is this connection's turn to take the handshake on by what arrived before.
    func goOnShakingHands() {
        guard phase == .handshaking else { return }
        takeHeld()
        readOn()
    }

    private func becomeOpen(peer: KeyHash?) {
        phase = .open
        lastSign = loop.now
        watchIdle()
        // What was sent before is written at the turn's end.
        if !queue.isEmpty { touch() }
        handler?.opened(self, peer: peer)
    }
}
