import FocusCore
package import FocusNet

// The driver in the real world: it handles what a TLS connection brings.
extension SyncDriver: ConnectionHandler {
    /// TLS stands, and the server has shown a key that is pinned: begins to talk.
    package func opened(_ connection: Connection, peer: KeyHash?) {
        guard let shown = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
        opened(byServer: shown)
    }

    /// Bytes from the server, which are copied.
    package func received(_ bytes: RawSpan, on connection: Connection) {
        received(bytes.withUnsafeBytes { Array($0) })
    }

    /// Few of the bytes that were to be sent are left: the session may give more.
    package func writable(_ connection: Connection) { drained() }

    /// The connection is over; where it broke before it stood, the next address is tried.
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
