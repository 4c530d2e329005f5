import FocusCore
import FocusSeal
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusNet

/// A device that reaches a server as a browser does, by TLS over a WebSocket. It blocks its thread.
final class WebLaptop {
    private let client: HTTPClient
    private let session: TLSSession
    private let output = ByteBuffer()
    private var decoder = FrameDecoder()

    /// Opens a WebSocket, runs the handshake of TLS and sends a hello.
    init(
        at port: UInt16, _ identity: DeviceIdentity, pin: Digest, purpose: Hello.Purpose,
        _ headers: [String: String] = [:]
    ) throws {
        let context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ProtocolVersion.applicationProtocol)
        let pin = try #require(KeyHash(pin.bytes))
        session = try TLSSession(.client(pins: [pin]), context: context, output: output)
        client = try HTTPClient(port: port)
        let head = try client.openWebSocket("/sync", host: "127.0.0.1:\(port)", headers)
        try #require(head.status == 101)
        var isDone = try with([]) { try $0.handshake() }
        while !isDone {
            sendOutput()
            isDone = try with(try client.frame().content) { try $0.handshake() }
        }
        sendOutput()
        try send(
            .hello(Hello(versions: ProtocolVersion.spoken, purpose: purpose, sent: 5, program: "a test")))
        _ = try next { message in if case .greeting = message { true } else { nil } }
    }

    func send(_ message: Message) throws {
        try message.encoded().withUnsafeBytes { try session.seal($0) }
        sendOutput()
    }

    /// Waits for a message for which `pick` returns a value, and returns that value. Drops the messages before
    /// it.
    func next<Picked>(_ pick: (Message) -> Picked?) throws -> Picked {
        while true {
            while let frame = try decoder.next() {
                if let picked = pick(try Message(frame)) { return picked }
            }
            try receive()
        }
    }

    /// Waits for the welcome and says which events the device has.
    func enter() throws -> Welcome {
        let welcome = try next { message in if case .welcome(let welcome) = message { welcome } else { nil } }
        try send(.have(Have(vector: VersionVector(), epochs: [])))
        return welcome
    }

    private func sendOutput() {
        guard !output.isEmpty else { return }
        client.sendFrame(Array(output.bytes))
        output.removeAll()
    }

    private func receive() throws {
        let plain = try with(try client.frame().content) { session in
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { room.deallocate() }
            var plain: [UInt8] = []
            while true {
                let opened = try session.open(into: room)
                plain += room.prefix(opened.count)
                if opened.end != .full { return plain }
            }
        }
        decoder.append(plain[...])
    }

    /// Lends the session `bytes` during `body`, which must consume all of them.
    private func with<Result>(_ bytes: [UInt8], _ body: (TLSSession) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes { input in
            session.input = input
            defer { session.input = UnsafeRawBufferPointer(start: nil, count: 0) }
            let result = try body(session)
            #expect(session.input.isEmpty)
            return result
        }
    }
}
