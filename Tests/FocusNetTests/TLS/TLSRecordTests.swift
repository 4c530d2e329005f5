import COpenSSL
import Testing

@testable import FocusNet

@Suite("a server's TLS session once the handshake is done")
struct TLSRecordTests {
    private let context: TLSContext
    private let server: SessionEnd
    private let peer: RawTLSPeer

    /// Connects an OpenSSL client and a server's session, and completes the handshake.
    init() throws {
        context = try makeContext()
        server = try SessionEnd(.server, context)
        peer = try RawTLSPeer(client: .init(identity: makeIdentity(), applicationProtocol: "test/1"))
        var toServer = peer.exchange([])
        var isDone = false
        for _ in 0..<5 where !isDone {
            isDone = try server.with(toServer) { try $0.handshake() }
            toServer = peer.exchange(server.takeOutput())
        }
        try #require(isDone && peer.isDone)
    }

    @Test("long and short texts go in both directions, and nothing of them is to be seen on the way")
    func data() throws {
        for plain in [[7], Array("a text that nobody else can read".utf8), pattern(50_000)] {
            let before = peer.received.count
            let sealed = try server.sealed(plain)
            #expect(sealed.count > plain.count)
            if plain.count > 1 { #expect(!sealed.holds(plain.prefix(16))) }
            _ = peer.exchange(sealed)
            #expect(Array(peer.received[before...]) == plain)
            #expect(try server.opened(peer.sealed(plain)).plain == plain)
        }
    }

    @Test(
        "keys are changed, by the client alone and with the server, again and again",
        arguments: [false, true])
    func keyUpdate(isMutual: Bool) throws {
        for round in 0..<20 {
            try #require(peer.changeKey(isMutual: isMutual))
            let text = Array("after change \(round)".utf8)
            #expect(try server.opened(peer.sealed(text)).plain == text)
            // If the server was asked to, it changes its own key before its next data. That takes one more
            // record.
            #expect(server.takeOutput().isEmpty)
            let said = try server.sealed(text)
            #expect(said.count == text.count + 22 + (isMutual ? 27 : 0))
            _ = peer.exchange(said)
            #expect(peer.received.suffix(text.count) == text[...])
            #expect(peer.trouble == nil)
        }
    }

    @Test("a record with a changed byte is refused, and the client told why", arguments: [5, 10, -1])
    func corrupted(place: Int) throws {
        var sealed = peer.sealed(Array("whole".utf8))
        sealed[place < 0 ? sealed.count - 1 : place] ^= 1
        #expect(failure { try server.opened(sealed) } == .tlsFailed)
        _ = peer.exchange(server.takeOutput())
        #expect(peer.trouble == SSL_R_SSLV3_ALERT_BAD_RECORD_MAC)
    }

    @Test("what breaks a rule is refused", arguments: Breach.allCases) func breach(_ breach: Breach) throws {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 1)
        defer { room.deallocate() }
        breach.record.withUnsafeBytes { bytes in
            server.session.input = bytes
            #expect(failure { try server.session.open(into: room) } == .tlsFailed)
            server.session.input = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // Any answer to that is encrypted.
        let alert = server.takeOutput()
        #expect(alert.isEmpty || alert[0] == 23)
    }

    /// Records that are forbidden once keys are agreed.
    enum Breach: CaseIterable {
        case plainData, plainAlert, plainGoodbye, plainHello, tooLong, empty, noRecord

        var record: [UInt8] {
            switch self {
            case .plainData: [23, 3, 3, 0, 5] + Array("hello".utf8)
            case .plainAlert: [21, 3, 3, 0, 2, 2, 40]
            case .plainGoodbye: [21, 3, 3, 0, 2, 1, 0]
            case .plainHello: [22, 3, 3, 0, 5, 1, 0, 0, 1, 0]
            case .tooLong: [23, 3, 3, 0xFF, 0xFF] + pattern(0xFFFF)
            case .empty: [23, 3, 3, 0, 0]
            case .noRecord: Array("GET / HTTP/1.1\r\n\r\n".utf8)
            }
        }
    }

    @Test("a fatal alert ends it") func alert() throws {
        var sealed = try server.sealed(Array("whole".utf8))
        sealed[sealed.count - 1] ^= 1
        let alert = peer.exchange(sealed)
        #expect(!alert.isEmpty)
        #expect(failure { try server.opened(alert) } == .tlsFailed)
        #expect(server.takeOutput().isEmpty)
    }

    @Test("either side says goodbye, and the other hears it; what it still sends before its own is read")
    func goodbye() throws {
        server.session.end()
        _ = peer.exchange(server.takeOutput())
        #expect(peer.hasOtherSideEnded)
        #expect(peer.trouble == nil)
        #expect(try server.opened(peer.sealed([1, 2, 3])).plain == [1, 2, 3])
        #expect(try server.opened(peer.end()).end == .peerEnded)
    }
}

extension [UInt8] {
    /// Whether these bytes occur in it.
    fileprivate func holds(_ part: some Collection<UInt8>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
