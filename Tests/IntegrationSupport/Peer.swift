package import FocusCore
package import FocusNet
package import FocusSeal
package import FocusSync
import Foundation
import Synchronization

/// One side of a connection that a test plays. It keeps the messages from the other side and answers with
/// `answer`.
package final class Peer: ConnectionHandler, Sendable {
    /// The bytes that are sent as soon as the connection is open.
    private let first: [UInt8]
    /// The answers to a message.
    private let answer: @Sendable (Message) -> [Message]
    private let state = Mutex(State())

    private struct State {
        var connection: Connection?
        var decoder = FrameDecoder()
        var messages: [Message] = []
        var hasOpened = false
        var isClosed = false
    }

    package init(first: [UInt8] = [], answer: @escaping @Sendable (Message) -> [Message] = { _ in [] }) {
        self.first = first
        self.answer = answer
    }

    /// The messages from the other side.
    package var messages: [Message] { state.withLock(\.messages) }

    /// Whether the connection was ever open.
    package var hasOpened: Bool { state.withLock(\.hasOpened) }

    /// Whether the connection has ended or failed to open.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    package func opened(_ connection: Connection, peer: KeyHash?) {
        state.withLock {
            $0.connection = connection
            $0.hasOpened = true
        }
        if !first.isEmpty { connection.send(first) }
    }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        let arrived = state.withLock { state in
            state.decoder.append(bytes[...])
            var arrived: [Message] = []
            while let frame = try? state.decoder.next(), let message = try? Message(frame) {
                arrived.append(message)
            }
            state.messages += arrived
            return arrived
        }
        for message in arrived.flatMap(answer) { connection.send(message.encoded()) }
    }

    package func writable(_ connection: Connection) {}

    package func closed(_ connection: Connection, error: NetError?) { state.withLock { $0.isClosed = true } }

    /// Waits for a message for which `pick` returns a value, and returns that value. Messages that arrived
    /// before the call count too.
    ///
    /// - Parameter what: The message, in words for the error.
    package func next<Picked>(_ what: String, _ pick: (Message) -> Picked?) throws -> Picked {
        try waitForValue("\(what) among \(messages)") { messages.lazy.compactMap(pick).first }
    }
}

/// A client that a test plays, with a device's identity.
package final class TestClient {
    package let peer: Peer
    private let loop: EventLoop

    /// Connects to a server, sends the messages `first` and answers with `answer`.
    package convenience init(
        _ identity: DeviceIdentity, to server: Server, saying first: [Message],
        answer: @escaping @Sendable (Message) -> [Message] = { _ in [] }
    ) throws {
        try self.init(identity, to: server, sending: first.flatMap { $0.encoded() }, answer: answer)
    }

    /// Connects to a server and sends the bytes `first`, which need not be messages.
    package init(
        _ identity: DeviceIdentity, to server: Server, sending first: [UInt8],
        answer: @escaping @Sendable (Message) -> [Message] = { _ in [] }
    ) throws {
        peer = Peer(first: first, answer: answer)
        loop = try EventLoop()
        guard let port = server.port, let pin = KeyHash(try server.key().bytes) else {
            throw Unmet("the server has no port or key")
        }
        let context = try identity.tlsContext()
        loop.run { [loop, peer] in
            _ = Connection.connect(
                to: .tcp(host: "127.0.0.1", port: port), over: .tls(context, pins: [pin]), on: loop,
                handler: peer)
        }
    }

    /// Drops the connection.
    deinit {
        loop.stop()
        loop.wait()
    }
}

extension DeviceIdentity {
    fileprivate func tlsContext() throws -> TLSContext {
        try TLSContext(
            identity: TLSIdentity(certificate: certificate, privateKey: privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
    }
}

extension Server {
    /// The hash of the server's key.
    package func key() throws -> Digest {
        guard let identity = try IdentityFile(path: "\(data)/identity.pem").load() else {
            throw Unmet("the server has no key")
        }
        return identity.keyHash
    }
}

extension Laptop {
    /// The laptop's identity, which is created if there is none.
    package func identity() throws -> DeviceIdentity {
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        return try IdentityFile(path: "\(home)/identity.pem").loadOrCreate()
    }
}
