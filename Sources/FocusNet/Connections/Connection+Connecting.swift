import CLibUV

extension Connection {
    /// Returns a connection that is being made; `handler` is told the result. On the loop's thread only.
    ///
    /// A host's addresses are tried by the rules of RFC 8305 (`ConnectionAttempts`). All attempts together
    /// have the time `ConnectionLimits.handshake`; a single attempt has no limit of its own.
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

    /// Finds the endpoint's addresses and tries to connect to them.
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
    /// Takes over a connected stream and begins: with TLS, or by reporting `opened` at once.
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
        // A server starts its session only when the client's first bytes arrive, because it sends nothing
        // earlier and a session takes memory. If many clients come at once, most wait for their handshake.
        if case .client = security.role { advanceHandshake() }
        readOn()
    }

    /// Returns the TLS session, and makes it if it doesn't exist yet. Returns nil on a plain connection, or
    /// if no session can be made, which ends the connection.
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

    /// Advances the handshake by the bytes that have arrived. Bytes for the handler may be left afterwards.
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

    /// Whether the handshake may advance in this turn of the loop. If not, `goOnShakingHands` is called in a
    /// later one.
    func mayShakeHands() -> Bool {
        let answers = isAnswerAwaited
        isAnswerAwaited = false
        return loop.mayShakeHands(self, answers: answers)
    }

    /// Advances the handshake by the bytes that arrived earlier, because the loop allows it now.
    func goOnShakingHands() {
        guard phase == .handshaking else { return }
        takeHeld()
        readOn()
    }

    private func becomeOpen(peer: KeyHash?) {
        phase = .open
        lastSign = loop.now
        watchIdle()
        // Bytes that were sent before the connection opened are written at the turn's end.
        if !queue.isEmpty { touch() }
        handler?.opened(self, peer: peer)
    }
}
