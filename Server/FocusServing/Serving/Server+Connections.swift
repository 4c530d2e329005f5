import FocusCore
import FocusNet

extension Server: ConnectionHandler {
    nonisolated func opened(_ connection: Connection, peer: KeyHash?) {
        assumeIsolated { server in
            guard let device = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
            server.switchboard?.opened(connection, device)
        }
    }

    nonisolated func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        assumeIsolated { $0.switchboard?.received(bytes, on: connection.id) }
    }

    nonisolated func writable(_ connection: Connection) {
        assumeIsolated { $0.switchboard?.writable(connection.id) }
    }

    nonisolated func closed(_ connection: Connection, error: NetError?) {
        assumeIsolated { server in
            server.switchboard?.closed(
                connection, error.map { "\($0)" }, code: error?.code ?? .closed)
        }
    }
}
