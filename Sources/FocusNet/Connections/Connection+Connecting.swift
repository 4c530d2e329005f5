import CLibUV

extension Connection {
    /// A connection that is being made; `handler` hears how it went. On the loop's thread only.
    ///
    /// A host's addresses are tried one after the other, in the system's order, each for its share of the time
    /// that `ConnectionLimits.handshake` leaves.
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
            case .local(let path):
                candidates = [try SocketAddress(path: path)]
                tryNext(after: nil)
            }
        } catch {
            end(with: error)
        }
    }

    private func found(_ result: Result<[SocketAddress], NetError>) {
        guard phase == .connecting else { return }
        switch result {
        case .success(let addresses):
            candidates = addresses
            tryNext(after: nil)
        case .failure(let error):
            end(with: error)
        }
    }

    /// Tries the next address, or ends with `error` where there is none.
    private func tryNext(after error: NetError?) {
        guard phase == .connecting else { return }
        guard let address = candidates.first else {
            return end(with: error ?? NetError(.resolve, "\(peerDescription) has no address"))
        }
        candidates.removeFirst()
        ConnectAttempt.begin(address, of: self, within: share) { [weak self] stream, error in
            guard let self, self.phase == .connecting else {
                stream?.close {}
                return
            }
            if let stream { self.begin(stream) } else { self.tryNext(after: error) }
        }
    }

    /// The part of the time left that the next address may take.
    private var share: Duration {
        let passed = loop.now - lastSign
        return max(.milliseconds(100), (limits.handshake - passed) / (candidates.count + 1))
    }
}

/// One try at connecting to one address.
final class ConnectAttempt: LoopResource {
    private let loop: EventLoop
    private let stream: SocketStream
    private let what: String
    /// Nil once told.
    private var report: ((SocketStream?, NetError?) -> Void)?
    private var deadline: LoopTimer?

    private init(
        _ loop: EventLoop, _ stream: SocketStream, _ what: String,
        _ report: @escaping (SocketStream?, NetError?) -> Void
    ) {
        self.loop = loop
        self.stream = stream
        self.what = what
        self.report = report
    }

    /// Tries `address` for `connection` and reports a connected stream, which is then the caller's to close, or
    /// why there is none. The report may come before this returns.
    static func begin(
        _ address: SocketAddress, of connection: Connection, within time: Duration,
        _ report: @escaping (SocketStream?, NetError?) -> Void
    ) {
        let loop = connection.loop
        let stream = SocketStream(tcp: address.path == nil, on: loop)
        let attempt = ConnectAttempt(loop, stream, "connecting to \(connection.peerDescription)", report)
        loop.retain(attempt)
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(attempt).toOpaque()
        let status = address.connect(stream, request) { request, status in
            ConnectAttempt.finish(request, status)
        }
        if status < 0 { return finish(request, status) }
        attempt.deadline = loop.schedule(after: time) { [weak attempt] in
            attempt?.fail(NetError(.timedOut, "connecting to \(address.description)"))
        }
    }

    private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let attempt = Unmanaged<ConnectAttempt>.fromOpaque(data).takeRetainedValue()
        request.deallocate()
        if status < 0 {
            let code = NetError.Code(status: status)
            let known: Set<NetError.Code> = [.refused, .unreachable, .timedOut, .badAddress]
            let error = NetError(status: status, attempt.what)
            attempt.fail(known.contains(code) ? error : NetError(.connectFailed, error.context))
        } else {
            attempt.tell(attempt.stream, nil)
        }
    }

    func loopIsStopping() { fail(NetError(.loopStopped, what)) }

    private func fail(_ error: NetError) {
        guard report != nil else { return }
        stream.close { [self] in loop.release(self) }
        tell(nil, error)
    }

    private func tell(_ stream: SocketStream?, _ error: NetError?) {
        guard let report else { return }
        self.report = nil
        deadline?.cancel()
        deadline = nil
        if stream != nil { loop.release(self) }
        report(stream, error)
    }
}

extension SocketAddress {
    fileprivate func connect(
        _ stream: SocketStream, _ request: UnsafeMutablePointer<uv_connect_t>, _ done: @escaping uv_connect_cb
    ) -> Int32 {
        if let shortPath {
            uv_pipe_connect(request, stream.pipe, shortPath, done)
            return 0
        }
        return withPointer { address, _ in uv_tcp_connect(request, stream.tcp, address, done) }
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
