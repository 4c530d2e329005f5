package import FocusCore
package import FocusNet
import FocusSeal
package import FocusSync
import TestSupport
import Testing

/// A laptop for tests of a server: a real connection, on which the test sends and receives each message.
package actor TestLaptop: ConnectionHandler {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    package nonisolated let device: Digest
    private nonisolated let context: TLSContext
    private nonisolated let messages: AsyncStream<Message>
    private let arriving: AsyncStream<Message>.Continuation
    private var connection: Connection?
    private var decoder = FrameDecoder()
    /// The number of requests about the group that were sent on this connection.
    private var requests: UInt64 = 0

    /// A laptop with a new key.
    package init() throws {
        let identity = try DeviceIdentity.generate()
        device = identity.keyHash
        context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
        loop = try EventLoop()
        (messages, arriving) = AsyncStream.makeStream()
    }

    /// The same laptop with the same key, not connected.
    package init(as other: TestLaptop) throws {
        device = other.device
        context = other.context
        loop = try EventLoop()
        (messages, arriving) = AsyncStream.makeStream()
    }

    deinit { loop.stop() }

    /// Connects, sends a hello and waits for the server's greeting.
    package func connect(to endpoint: Endpoint, pin: Digest, purpose: Hello.Purpose) async throws {
        let pin = try #require(KeyHash(pin.bytes))
        connection = Connection.connect(
            to: endpoint, over: .tls(context, pins: [pin]), on: loop, handler: self)
        send(
            .hello(Hello(versions: ProtocolVersion.spoken, purpose: purpose, sent: 5, program: "a test")))
        _ = try await next { message in if case .greeting = message { true } else { nil } }
    }

    /// Stops reading from the connection until `resume()`.
    package func pause() { connection?.pauseReading() }

    /// Closes the connection.
    package func close() { connection?.close() }

    package func resume() { connection?.resumeReading() }

    package func send(_ message: Message) { connection?.send(message.encoded()) }

    /// Sends a request about the group, and returns its number.
    @discardableResult
    package func ask(_ request: GroupRequest) -> RequestNumber {
        requests += 1
        let number = RequestNumber(requests)
        send(.request(number, request))
        return number
    }

    /// Waits for a message for which `pick` returns a value, and returns that value. Drops the messages
    /// before it.
    package nonisolated func next<Picked>(_ pick: (Message) -> Picked?) async throws -> Picked {
        for await message in messages {
            if let picked = pick(message) { return picked }
        }
        throw Ended()
    }

    /// The connection ended before the expected message arrived.
    package struct Ended: Error {}

    package nonisolated func opened(_ connection: Connection, peer: KeyHash?) {}
    package nonisolated func writable(_ connection: Connection) {}

    package nonisolated func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        assumeIsolated { laptop in
            laptop.decoder.append(bytes[...])
            do {
                while let frame = try laptop.decoder.next() { laptop.arriving.yield(try Message(frame)) }
            } catch {
                Issue.record(error)
            }
        }
    }

    package nonisolated func closed(_ connection: Connection, error: NetError?) {
        assumeIsolated { $0.arriving.finish() }
    }
}

extension TestLaptop {
    /// Brings a group with a new invite and enters it.
    package func bring(
        _ group: GroupID = ServerFixture.group, to endpoint: Endpoint, _ installation: Installation
    ) async throws -> Welcome {
        let invite = try installation.invite()
        try await connect(to: endpoint, pin: invite.server.key, purpose: .enrol)
        let token = try invite.secret.token().bytes.exposed()
        send(.enrol(Enrol(token: token, kind: .bring(group, ServerFixture.epoch))))
        return try await enter()
    }

    /// Waits for the welcome and says which events the laptop has.
    package func enter(having vector: VersionVector = VersionVector()) async throws -> Welcome {
        let welcome = try await next { message in
            if case .welcome(let welcome) = message { welcome } else { nil }
        }
        send(.have(Have(vector: vector, epochs: [])))
        return welcome
    }

    package nonisolated func nextAck() async throws -> Ack {
        try await next { message in if case .ack(let ack) = message { ack } else { nil } }
    }

    package nonisolated func nextPush() async throws -> Segment {
        try await next { message in if case .push(let segment) = message { segment } else { nil } }
    }

    /// Waits for the next answer to a request about the group.
    package nonisolated func nextAnswer() async throws -> Message {
        try await next { message in
            switch message {
            case .done, .refused: message
            default: nil
            }
        }
    }

    package nonisolated func nextRefusal() async throws -> RefusalCode {
        try await next { message in if case .error(let refusal) = message { refusal.code } else { nil } }
    }
}
