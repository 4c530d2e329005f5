import FocusCore
import Foundation
import Glibc
import IntegrationSupport
import Synchronization

/// Many connections to a server that never finish the TLS handshake.
final class Crowd: Sendable {
    /// The bytes that the connections send.
    enum Talk: Sendable {
        case nothing
        /// All connections send the same bytes one by one, with this pause.
        case slowly([UInt8], every: Duration)
        /// Each connection sends one of these byte strings at once.
        case atOnce([[UInt8]])
    }

    private struct State {
        var connections: [Int32]
        /// The number of bytes that each connection has sent.
        var sent = 0
        var hasLeft = false
    }

    private let state: Mutex<State>

    /// Opens `count` connections to the server.
    init(_ count: Int, at server: Server, sending talk: Talk) throws {
        guard let port = server.port else { throw Unmet("the server has no port") }
        var connections: [Int32] = []
        for _ in 0..<count {
            guard let socket = LoopbackSocket(connectedTo: port) else { throw Unmet("\(port) takes nobody") }
            connections.append(socket.release())
        }
        state = Mutex(State(connections: connections))
        switch talk {
        case .nothing: break
        case .atOnce(let talks):
            for (index, connection) in connections.enumerated() where !talks.isEmpty {
                Crowd.send(talks[index % talks.count], to: connection)
            }
        case .slowly(let bytes, let pause):
            Thread.detachNewThread { [weak self] in
                while self?.talk(bytes) == true { poll(nil, 0, Int32(pause.seconds * 1000)) }
            }
        }
    }

    deinit { leave() }

    /// Closes all connections.
    func leave() {
        state.withLock { state in
            for connection in state.connections { close(connection) }
            state.connections = []
            state.hasLeft = true
        }
    }

    /// The number of bytes that each connection has sent.
    var sent: Int { state.withLock(\.sent) }

    /// Sends the next byte on each connection. Returns false if there is none.
    private func talk(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.hasLeft, state.sent < bytes.count else { return false }
            for connection in state.connections { Crowd.send([bytes[state.sent]], to: connection) }
            state.sent += 1
            return true
        }
    }

    /// Sends as many bytes as fit. The server may have closed its end.
    private static func send(_ bytes: [UInt8], to connection: Int32) {
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
}
