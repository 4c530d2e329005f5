import FocusCore
package import FocusNet

// The driver in the real world: it handles what a TLS connection brings.
extension SyncDriver: ConnectionHandler {
    package func opened(_ connection: Connection, peer: KeyHash?) {
        guard let shown = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
        opened(byServer: shown)
    }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        received(bytes.withUnsafeBytes { Array($0) })
    }

    package func writable(_ connection: Connection) { drained() }

    package func closed(_ connection: Connection, error: NetError?) {
        switch error?.code {
        case .pinMismatch: closed(.otherServer(connection.peerDescription))
        case .otherProtocol: closed(.broken("what answers there is not a Lockstep server"))
        case nil: closed(.closed)
        case _: closed(.broken(error?.context ?? "the connection broke"))
        }
    }
}

extension Connection: SyncTransport {}
