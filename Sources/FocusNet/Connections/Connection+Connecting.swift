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
        let session: (() throws(NetError) -> TLSSession)? =
            switch transport {
            case .plain: nil
            case .tls(let context, let pins):
                { () throws(NetError) in
                    try TLSSession(.client(pins: pins), context: context, output: loop.buffers.sealed)
                }
            }
        let connection = Connection(on: loop, peer: endpoint.description, limits: limits, session: session)
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
        let passed = Duration.milliseconds(Int64(clamping: loop.now &- lastSign))
        return max(.milliseconds(100), (limits.handshake - passed) / (candidates.count + 1))
    }
}
