import COpenSSL
import Testing

@testable import FocusNet

/// TLS 1.2, which only a context for browsers allows. `TLSSessionTests` has a test that others refuse it.
@Suite("TLS 1.2 for browsers")
struct OlderTLSTests {
    private let context: TLSContext
    private let server: SessionEnd

    init() throws {
        context = try TLSContext(
            identity: makeIdentity(), applicationProtocol: "test/1", allowsTLS12: true)
        server = try SessionEnd(.server, context)
    }

    @Test(
        "a context that allows TLS 1.2 takes it with forward secrecy and an AEAD cipher, without a ticket",
        arguments: ["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES128-GCM-SHA256"])
    func accepted(cipher: String) throws {
        let peer = try RawTLSPeer(client: habits { $0.ciphers = cipher })
        #expect(try talk(peer))
        #expect(peer.isDone && peer.version == TLS1_2_VERSION && peer.cipher == cipher)
        #expect(!peer.hasTicket)
        #expect(server.session.peerKey != nil)
        #expect(try server.opened(peer.sealed([1, 2, 3])).plain == [1, 2, 3])
        _ = peer.exchange(try server.sealed([4, 5]))
        #expect(peer.received == [4, 5])
    }

    @Test("a client that offers both ciphers of TLS 1.2 gets the one that is fast without hardware")
    func preference() throws {
        let peer = try RawTLSPeer(
            client: habits { $0.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305" })
        #expect(try talk(peer))
        #expect(peer.cipher == "ECDHE-ECDSA-CHACHA20-POLY1305")
    }

    @Test("a context that allows TLS 1.2 prefers TLS 1.3")
    func newest() throws {
        let peer = try RawTLSPeer(client: habits { $0.newestVersion = TLS1_3_VERSION })
        #expect(try talk(peer))
        #expect(peer.version == TLS1_3_VERSION)
    }

    @Test(
        "other ciphers of TLS 1.2 are refused",
        arguments: ["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-SHA"])
    func refusedCipher(cipher: String) throws {
        let peer = try RawTLSPeer(client: habits { $0.ciphers = cipher })
        #expect(failure { try talk(peer) } == .tlsFailed)
        #expect(!peer.isDone)
    }

    @Test("a client on TLS 1.2 without a certificate is refused")
    func noCertificate() throws {
        let peer = try RawTLSPeer(client: habits { $0.identity = nil })
        #expect(failure { try talk(peer) } == .tlsFailed)
    }

    @Test(
        "a client on TLS 1.2 with another key than one on P-256 is refused",
        arguments: TestKey.allCases.filter { $0 != .p256 })
    func otherKeys(kind: TestKey) throws {
        let identity = try makeIdentity(kind)
        let peer = try RawTLSPeer(client: habits { $0.identity = identity })
        #expect(failure { try talk(peer) } == .tlsFailed)
        #expect(server.session.peerKey == nil)
    }

    @Test("a client on TLS 1.2 that names no application protocol is refused")
    func noProtocol() throws {
        let peer = try RawTLSPeer(client: habits { $0.applicationProtocol = nil })
        #expect(failure { try talk(peer) } == .alpnMismatch)
    }

    @Test("a client on TLS 1.2 gets an alert instead of a second handshake")
    func renegotiation() throws {
        let peer = try RawTLSPeer(client: habits { _ in })
        try #require(try talk(peer))
        #expect(peer.canRenegotiate)
        let hello = peer.exchange([])
        #expect(!hello.isEmpty)
        let opened = try server.opened(hello)
        #expect(opened.plain == [] && opened.end == .needsInput)
        let answer = server.takeOutput()
        // The content type of an alert is 21.
        #expect(answer.first == 21)
        _ = peer.exchange(answer)
        #expect(!peer.isDone)
    }

    @Test("a client on TLS 1.2 that offers an earlier session has to show its certificate again")
    func earlierSession() throws {
        let earlier = try RawTLSPeer(client: habits { _ in })
        try #require(try talk(earlier))
        let peer = try RawTLSPeer(client: habits { $0.earlier = earlier })
        let accepting = try SessionEnd(.server, context)
        #expect(try accepting.shakeHands(with: peer))
        #expect(peer.isDone && !peer.isResumed)
        // Each client has a key of its own.
        #expect(accepting.session.peerKey != nil && accepting.session.peerKey != server.session.peerKey)
        let bare = try RawTLSPeer(
            client: habits {
                $0.identity = nil
                $0.earlier = earlier
            })
        let refusing = try SessionEnd(.server, context)
        #expect(failure { try refusing.shakeHands(with: bare) } == .tlsFailed)
        #expect(refusing.session.peerKey == nil && !bare.isDone)
    }

    /// Returns the habits of a client that speaks TLS 1.2, changed by `change`.
    private func habits(_ change: (inout RawTLSPeer.Habits) -> Void) throws -> RawTLSPeer.Habits {
        var habits = RawTLSPeer.Habits(
            identity: try makeIdentity(), applicationProtocol: "test/1", newestVersion: TLS1_2_VERSION)
        change(&habits)
        return habits
    }

    private func talk(_ peer: RawTLSPeer) throws -> Bool { try server.shakeHands(with: peer) }
}
