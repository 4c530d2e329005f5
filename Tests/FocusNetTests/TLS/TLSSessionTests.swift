import COpenSSL
import Testing

@testable import FocusNet

@Suite("TLS sessions without sockets")
struct TLSSessionTests {
    private let serverContext: TLSContext
    private let clientContext: TLSContext
    private let client: SessionEnd
    private let server: SessionEnd

    init() throws {
        serverContext = try makeContext()
        clientContext = try makeContext()
        client = try SessionEnd(.client(pins: [serverContext.keyHash]), clientContext)
        server = try SessionEnd(.server, serverContext)
    }

    @Test(
        "each side learns the other's key, and no ticket follows the handshake, even if it arrives byte by byte",
        arguments: [1, .max])
    func handshake(piece: Int) throws {
        #expect(try shakeHands(client: client, server: server, piece: piece))
        #expect(client.session.peerKey == serverContext.keyHash)
        #expect(server.session.peerKey == clientContext.keyHash)
        #expect(server.takeOutput().isEmpty)
    }

    @Test(
        "bytes sealed by one side are opened by the other, in whatever pieces and room",
        arguments: [1, 17, 40_000])
    func sealing(room: Int) throws {
        try #require(try shakeHands(client: client, server: server))
        let plain = pattern(50_000)
        let sealed = try client.sealed(plain)
        #expect(sealed.count > plain.count)
        let half = sealed.count / 2
        let first = try server.opened(Array(sealed[..<half]), room: room)
        let second = try server.opened(Array(sealed[half...]), room: room)
        #expect(first.plain + second.plain == plain)
        #expect(first.end == .needsInput)
    }

    @Test("what came before a broken record is handed over first, then the break is told")
    func tamperingAfterGood() throws {
        try #require(try shakeHands(client: client, server: server))
        let good = try client.sealed([1, 2, 3])
        var broken = try client.sealed([4])
        broken[broken.count - 1] ^= 1
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { target.deallocate() }
        server.with(good + broken) { session in
            #expect((try? session.open(into: target))?.count == 3)
            #expect(failure { try session.open(into: target) } == .tlsFailed)
        }
    }

    @Test("a server with another key gets nothing but the greeting and an alert")
    func wrongPin() throws {
        let other = try makeContext().keyHash
        let client = try SessionEnd(.client(pins: [other]), clientContext)
        #expect(try client.with([]) { try $0.handshake() } == false)
        #expect(try server.with(client.takeOutput()) { try $0.handshake() } == false)
        let answer = server.takeOutput()
        #expect(failure { try client.session.withInput(answer) { try $0.handshake() } } == .pinMismatch)
        // A change_cipher_spec for old middleboxes (6 bytes), then one sealed alert (5 + 2 + 1 + 16).
        #expect(client.takeOutput().count <= 6 + 24)
        #expect(client.session.peerKey == nil)
    }

    @Test("two application protocols don't meet")
    func otherProtocol() throws {
        let client = try SessionEnd(.client(pins: [serverContext.keyHash]), try makeContext("test/2"))
        #expect(try client.with([]) { try $0.handshake() } == false)
        let greeting = client.takeOutput()
        #expect(failure { try server.with(greeting) { try $0.handshake() } } == .alpnMismatch)
        let alert = server.takeOutput()
        #expect(failure { try client.with(alert) { try $0.handshake() } } == .alpnMismatch)
    }

    @Test("a client that names no application protocol is refused")
    func noProtocol() throws {
        let peer = try RawTLSPeer(client: .init(identity: makeIdentity()))
        #expect(failure { try talk(peer) } == .alpnMismatch)
    }

    @Test(
        "a client tells what speaks another protocol from a server whose TLS is wrong",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1\r\n"])
    func otherProtocol(answer: String) throws {
        _ = try client.with([]) { try $0.handshake() }
        #expect(
            failure { try client.session.withInput(Array(answer.utf8)) { try $0.handshake() } }
                == .otherProtocol)
    }

    @Test("a client without a certificate is refused")
    func noCertificate() throws {
        let peer = try RawTLSPeer(client: .init(applicationProtocol: "test/1"))
        #expect(failure { try talk(peer) } == .tlsFailed)
    }

    @Test(
        "a client whose key isn't one on P-256 is refused, and the error says what is wanted",
        arguments: TestKey.allCases)
    func otherKeys(kind: TestKey) throws {
        let peer = try RawTLSPeer(client: .init(identity: makeIdentity(kind), applicationProtocol: "test/1"))
        guard kind != .p256 else {
            #expect(try talk(peer) && peer.isDone)
            #expect(!peer.hasTicket)
            return
        }
        let error = #expect(throws: NetError.self) { try talk(peer) }
        #expect(error?.code == .tlsFailed)
        #expect(error?.context.contains("a key on P-256, as an uncompressed point") == true)
        #expect(server.session.peerKey == nil)
    }

    @Test("a client that speaks TLS 1.2 at best is refused")
    func oldVersion() throws {
        let peer = try RawTLSPeer(
            client: .init(
                identity: makeIdentity(), applicationProtocol: "test/1", newestVersion: TLS1_2_VERSION))
        #expect(failure { try talk(peer) } == .tlsFailed)
        #expect(!peer.isDone)
    }

    @Test("a client that offers a shared secret, and data before the handshake, has to go through all of it")
    func earlyData() throws {
        // The client offers a pre-shared key and early data (0-RTT). The server ignores both, and does the
        // whole handshake.
        let peer = try RawTLSPeer(
            client: .init(
                identity: makeIdentity(), applicationProtocol: "test/1", early: Array("too early".utf8)))
        #expect(try talk(peer))
        #expect(peer.isDone)
        #expect(!peer.isResumed && !peer.isEarlyDataTaken)
        #expect(server.session.peerKey != nil)
        // None of the early data is passed on.
        #expect(try server.opened([]).plain == [])
    }

    @Test("a client that offers a shared secret and shows no certificate is refused") func secretAlone()
        throws
    {
        // The pre-shared key doesn't replace the certificate.
        let peer = try RawTLSPeer(
            client: .init(applicationProtocol: "test/1", early: Array("too early".utf8)))
        #expect(failure { try talk(peer) } == .tlsFailed)
    }

    @Test("a client can't begin the handshake anew on a connection") func renegotiation() throws {
        let peer = try RawTLSPeer(client: .init(identity: makeIdentity(), applicationProtocol: "test/1"))
        try #require(try talk(peer))
        // TLS 1.3 has no renegotiation: a second hello breaks the protocol.
        #expect(!peer.canRenegotiate)
    }

    @Test(
        "anything but TLS is refused",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{ff}", "SSH-2.0-x\r\n"])
    func garbage(text: String) throws {
        let bytes = Array(text.utf8) + pattern(20_000)
        #expect(failure { try server.session.withInput(bytes) { try $0.handshake() } } == .tlsFailed)
    }

    private func talk(_ peer: RawTLSPeer) throws -> Bool { try server.shakeHands(with: peer) }
}
