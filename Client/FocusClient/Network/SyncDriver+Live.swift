import FocusCore
package import FocusNet
package import FocusStore
package import FocusSync

// The driver in the real world: TLS connections and an event loop.
extension SyncDriver {
    /// A connection to be made to a server over TLS.
    ///
    /// - Parameters:
    ///   - purpose: to sync the group's log, or to be let into a group first.
    ///   - clock: the estimate of shared time so far.
    package convenience init(
        _ purpose: Purpose, server: ServerAddress, context: TLSContext, store: DeviceStore,
        clock: ClockEstimate, on loop: EventLoop, observer: any SyncObserver
    ) throws {
        guard let pin = KeyHash(server.key.bytes) else { throw SyncEnd.failed("the pinned key is malformed") }
        let routes = server.endpoints.map { endpoint -> SyncRoute in
            { driver in
                Connection.connect(to: endpoint, over: .tls(context, pin: pin), on: loop, handler: driver)
            }
        }
        try self.init(
            purpose, by: routes, store: store, clock: clock, time: LoopTime(loop), observer: observer)
    }
}

extension SyncDriver: ConnectionHandler {
    package func opened(_ connection: Connection, peer: KeyHash?) { opened() }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        received(bytes.withUnsafeBytes { Array($0) })
    }

    package func writable(_ connection: Connection) {}

    package func closed(_ connection: Connection, error: NetError?) {
        switch error?.code {
        case .pinMismatch: closed(.otherServer(connection.peerDescription))
        case nil: closed(.closed)
        case _: closed(.broken(error?.context ?? "the connection broke"))
        }
    }
}

extension Connection: SyncTransport {}
