import CLibUV

extension Connection {
    /// A connection that is being made; `handler` hears how it went. On the loop's thread only.
    ///
    /// A host's addresses are tried as RFC 8305 says (`ConnectionAttempts`). All of it has the time that
    /// `ConnectionLimits.handshake` says; no attempt has a limit of its own.
    package static func connect(
        to endpoint: Endpoint, over transport: Transport, on loop: EventLoop,
        limits: ConnectionLimits = ConnectionLimits(), handler: any ConnectionHandler
    ) -> Connection {
        let security: Security? =
            switch transport {
            case .plain: nil
            case .tls(let context, let pins): Security(context: context, role: .client(pins: pins))
            }
        let connection = Connection(on: loop, peer: endpoint.description, limits: limits, security: security)
        connection.handler = handler
        connection.watchHandshake()
        connection.reach(endpoint)
        return connection
    }

    private func reach(_ endpoint: Endpoint) {
        do throws(NetError) {
            switch endpoint {
            case .tcp(let host, let port):
                try HostLookup.begin(host, port: port, on: loop) { [weak self] result in
                    self?.found(result)
                }
            case .local(let path): attempt([try SocketAddress(path: path)])
            }
        } catch {
            end(with: error)
        }
    }

    private func found(_ result: Result<[SocketAddress], NetError>) {
        guard phase == .connecting else { return }
        switch result {
        case .success(let addresses): attempt(addresses)
        case .failure(let error): end(with: error)
        }
    }

    private func attempt(_ addresses: [SocketAddress]) {
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
}

extension Connection {
    /// Takes over a stream that is connected and begins: with TLS, or by reporting `opened` at once.
    func begin(_ connected: SocketStream) {
        stream = connected
        connected.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        connected.sendAtOnce()
        connected.keepLittleUnsent()
        guard let security else {
            becomeOpen(peer: nil)
            readOn()
            return
        }
        phase = .handshaking
        if deadline == nil { watchHandshake() }
        // A server has nothing to say before it has heard something, and what a handshake needs it doesn't need sooner: of many
        // that come at once, most wait for their turn.
        if case .client = security.role { advanceHandshake() }
        readOn()
    }

    /// The TLS session, which begins where it hasn't; nil where there is none, or it can't begin, which ends the connection.
    func begunSession() -> TLSSession? {
        if let tls { return tls }
        guard let security else { return nil }
        do throws(NetError) {
            let session = try TLSSession(
                security.role, context: security.context, output: loop.buffers.sealed)
            tls = session
            return session
        } catch {
            end(with: error)
            return nil
        }
    }

    /// Takes the handshake on by what has arrived; afterwards bytes may be left for the handler.
    func advanceHandshake() {
        guard let tls = begunSession() else { return }
        do throws(NetError) {
            let isDone = try tls.handshake()
            isAnswerAwaited = !isDone && !loop.buffers.sealed.isEmpty
            writeSealed()
            if isDone && phase == .handshaking { becomeOpen(peer: tls.peerKey) }
        } catch {
            endAfterAlert(with: error)
        }
    }

    /// Whether the handshake may be taken on in this turn of the loop's; otherwise `goOnShakingHands` is called in a later one.
    func mayShakeHands() -> Bool {
        let answers = isAnswerAwaited
        isAnswerAwaited = false
        return loop.mayShakeHands(self, answers: answers)
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
