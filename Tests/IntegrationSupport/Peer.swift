package import FocusCore
package import FocusNet
package import FocusSeal
package import FocusSync
import Foundation
import Synchronization

/// Either side of a connection, as a test would have it: it keeps what the other side says, and answers as it is
/// told to.
package final class Peer: ConnectionHandler, Sendable {
    /// What is said as soon as the connection is open.
    private let first: [UInt8]
    /// What is said to each message.
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

    /// What the other side has said.
    package var messages: [Message] { state.withLock(\.messages) }

    /// Whether the connection has come about, over by now or not.
    package var hasOpened: Bool { state.withLock(\.hasOpened) }

    /// Whether the connection is over, or never came about.
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

    /// What `pick` makes of a message that has arrived, or arrives.
    package func next<Picked>(_ what: String, _ pick: (Message) -> Picked?) throws -> Picked {
        try awaited("\(what) among \(messages)") { messages.lazy.compactMap(pick).first }
    }
}

/// A client of a test's own making, as the device of this identity.
package final class TestClient {
    package let peer: Peer
    private let loop: EventLoop

    /// Connects to a server, says this, and answers as told.
    package convenience init(
        _ identity: DeviceIdentity, to server: Server, saying first: [Message],
        answer: @escaping @Sendable (Message) -> [Message] = { _ in [] }
    ) throws {
        try self.init(identity, to: server, sending: first.flatMap { $0.encoded() }, answer: answer)
    }

    /// Connects to a server, and sends these bytes, whatever they mean.
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

    /// Ends the connection without a word.
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
    /// The hash of its key.
    package func key() throws -> Digest {
        guard let identity = try IdentityFile(path: "\(data)/identity.pem").load() else {
            throw Unmet("the server has no key")
        }
        return identity.keyHash
    }
}

extension Laptop {
    /// Its identity, which is made where it has none yet.
    package func identity() throws -> DeviceIdentity {
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        return try IdentityFile(path: "\(home)/identity.pem").loadOrCreate()
    }
}
