import FocusCore
import Foundation
import Glibc
import IntegrationSupport
import Synchronization

/// Many connections at a server that never get as far as TLS.
final class Crowd: Sendable {
    /// What each of them sends.
    enum Talk: Sendable {
        case nothing
        /// The bytes one by one, so much apart.
        case slowly([UInt8], every: Duration)
        /// Each its own bytes, all at once.
        case atOnce([[UInt8]])
    }

    private struct State {
        var connections: [Int32]
        /// How many bytes each has sent.
        var sent = 0
        var hasLeft = false
    }

    private let state: Mutex<State>

    /// So many connect to the server.
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

    /// All connections end.
    func leave() {
        state.withLock { state in
            for connection in state.connections { close(connection) }
            state.connections = []
            state.hasLeft = true
        }
    }

    /// How many bytes each connection has sent.
    var sent: Int { state.withLock(\.sent) }

    /// Sends each connection's next byte.
    private func talk(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.hasLeft, state.sent < bytes.count else { return false }
            for connection in state.connections { Crowd.send([bytes[state.sent]], to: connection) }
            state.sent += 1
            return true
        }
    }

    /// Sends what is taken at once. The server may have closed its end.
    private static func send(_ bytes: [UInt8], to connection: Int32) {
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
}
