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
        connection.attach(handler)
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
}
