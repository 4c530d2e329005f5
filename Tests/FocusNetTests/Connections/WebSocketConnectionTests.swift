import CLibUV
import COpenSSL
import SystemKit
import TestSupport
import TestTraits
import Testing

@testable import FocusNet

@Suite("TLS over a WebSocket", .ends(within: .seconds(300)))
final class WebSocketConnectionTests {
    private let loop: EventLoop
    private let context: TLSContext

    init() throws {
        loop = try EventLoop()
        context = try TLSContext(
            identity: makeIdentity(), applicationProtocol: "test/1", allowsTLS12: true)
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// Returns a client with a WebSocket to the server. The first descriptor of its socket is closed by then.
    private func connected(
        to server: Recorder, early: [UInt8] = [], forwardedFor headers: [String] = [],
        by proxies: [String] = [], limits: ConnectionLimits = ConnectionLimits()
    ) async throws -> HTTPClient {
        let listener = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = listener.endpoint else { throw HTTPClient.Failure(description: "") }
        let client = try HTTPClient(port: port)
        let socket = try #require(try listener.accept())
        let number = socket.number
        try await loop.perform { [loop, context] in
            let arrived = try WebSocketClient(
                duplicating: number, early: early, forwardedFor: headers,
                by: proxies.compactMap { AddressRange($0) })
            Connection.begin(arrived, over: context, on: loop, limits: limits) { _ in server }
        }
        withExtendedLifetime(socket) {}
        return client
    }

    private func makePeer(_ version: Int32 = TLS1_2_VERSION) throws -> RawTLSPeer {
        try RawTLSPeer(
            client: RawTLSPeer.Habits(
                identity: makeIdentity(), applicationProtocol: "test/1", newestVersion: version))
    }

    /// Runs TLS's handshake over the WebSocket.
    private func shakeHands(_ client: HTTPClient, _ peer: RawTLSPeer, isBegun: Bool = false) throws {
        var output = isBegun ? [] : peer.exchange([])
        while !peer.isDone {
            if !output.isEmpty { client.sendFrame(output) }
            output = peer.exchange(try client.frame().content)
        }
        if !output.isEmpty { client.sendFrame(output) }
    }

    /// Returns a client and its TLS after their handshake.
    private func opened(by server: Recorder) async throws -> (client: HTTPClient, peer: RawTLSPeer) {
        let (client, peer) = (try await connected(to: server), try makePeer())
        try shakeHands(client, peer)
        #expect(await server.waitForOpening() != nil)
        return (client, peer)
    }

    @Test(
        "the content of its binary messages is TLS 1.2 or 1.3, in both directions",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func versions(version: Int32) async throws {
        let server = Recorder(.echo)
        let (client, peer) = (try await connected(to: server), try makePeer(version))
        try shakeHands(client, peer)
        #expect(await server.waitForOpening() != nil)
        #expect(peer.version == version)
        let sent = pattern(300_000)
        for start in stride(from: 0, to: sent.count, by: 10_000) {
            client.sendFrame(peer.sealed(Array(sent[start..<(start + 10_000)])))
        }
        while peer.received.count < sent.count {
            let frame = try client.frame()
            #expect(frame.first == 0x82)
            _ = peer.exchange(frame.content)
        }
        #expect(peer.received == sent)
    }

    @Test("its small messages don't wait until the client has acknowledged the ones before")
    func noDelay() async throws {
        let server = Recorder()
        // They hold the client's socket open.
        let (client, peer) = try await opened(by: server)
        let connection = try #require(server.connection)
        let noDelay = try await loop.perform { () throws -> Int32? in
            var (socket, value): (uv_os_fd_t, Int32) = (0, 0)
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard let stream = connection.stream, uv_fileno(handlePointer(stream.raw), &socket) == 0,
                getsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size) == 0
            else { return nil }
            return value
        }
        #expect(noDelay == 1)
        withExtendedLifetime((client, peer)) {}
    }

    @Test("bytes that arrived with the request belong to the WebSocket")
    func early() async throws {
        let (server, peer) = (Recorder(), try makePeer())
        let client = try await connected(to: server, early: HTTPClient.masked(peer.exchange([])))
        try shakeHands(client, peer, isBegun: true)
        #expect(await server.waitForOpening() != nil)
    }

    @Test("a ping is answered, before TLS and between its messages")
    func pings() async throws {
        let server = Recorder(.echo)
        let (client, peer) = (try await connected(to: server), try makePeer())
        client.sendFrame([7], first: 0x89)
        #expect(try client.frame() == HTTPClient.Frame(0x8A, [7]))
        try shakeHands(client, peer)
        client.sendFrame([8, 9], first: 0x89)
        #expect(try client.frame() == HTTPClient.Frame(0x8A, [8, 9]))
    }

    @Test("answers to pings don't pile up if the client doesn't take them")
    func untakenPongs() async throws {
        let server = Recorder()
        let (client, _) = try await opened(by: server)
        let connection = try #require(server.connection)
        let ping = HTTPClient.masked([UInt8](repeating: 7, count: 125), first: 0x89)
        let pings = [[UInt8]](repeating: ping, count: 500).flatMap { $0 }
        // They are more than the buffers between the two ends hold.
        for _ in 0..<300 { client.send(bytes: pings) }
        #expect(try await loop.perform { connection.unsentBytes } <= 65_540)
    }

    @Test("the server's end is the goodbye of TLS, then a close frame, then the end of the socket")
    func closing() async throws {
        let server = Recorder()
        let (client, peer) = try await opened(by: server)
        let connection = try #require(server.connection)
        try await loop.perform { connection.close() }
        _ = peer.exchange(try client.frame().content)
        #expect(peer.hasOtherSideEnded)
        #expect(try client.frame() == HTTPClient.Frame(0x88, [0x03, 0xE8]))
        try client.waitForHangUp()
        client.finish()
        #expect(await server.waitForEnd() == .some(nil))
    }

    @Test("a client that ends TLS before the WebSocket has left in good order")
    func leaving() async throws {
        let server = Recorder()
        let (client, peer) = try await opened(by: server)
        client.send(
            bytes: HTTPClient.masked(peer.end()) + HTTPClient.masked([0x03, 0xE9], first: 0x88))
        while try client.frame().first != 0x88 {}
        try client.waitForHangUp()
        client.finish()
        #expect(await server.waitForEnd() == .some(nil))
    }

    @Test("a client that only ends the WebSocket gets its close code back, and has left without a goodbye")
    func leavingAtOnce() async throws {
        let server = Recorder()
        let (client, _) = try await opened(by: server)
        client.sendFrame([0x03, 0xE9], first: 0x88)
        #expect(try client.frame() == HTTPClient.Frame(0x88, [0x03, 0xE9]))
        try client.waitForHangUp()
        client.finish()
        #expect(await server.waitForEnd() == .some(.closed))
    }

    @Test("a violation of RFC 6455 ends the connection with its close code, before TLS and after it")
    func violations() async throws {
        for (bytes, code) in [
            (HTTPClient.masked([1], first: 0x81), [0x03, 0xEB]), ([0x82, 1, 1], [0x03, 0xEA]),
            (HTTPClient.masked([1], first: 0xC2), [0x03, 0xEA]),
            (HTTPClient.masked([], first: 0x09), [0x03, 0xEA]),
            ([0x82, 0xFF, 0, 0, 0, 0, 0x01, 0, 0, 0], [0x03, 0xF1]),
        ] as [([UInt8], [UInt8])] {
            for isOpen in [false, true] {
                let server = Recorder()
                let client = try await isOpen ? opened(by: server).client : connected(to: server)
                client.send(bytes: bytes)
                #expect(try client.frame() == HTTPClient.Frame(0x88, code), "\(bytes)")
                try client.waitForHangUp()
                client.finish()
                #expect(await server.waitForEnd() == .some(.badWebSocket))
            }
        }
    }

    @Test("what isn't TLS gets an alert, and then a close frame with the code 1008")
    func otherContent() async throws {
        let server = Recorder()
        let client = try await connected(to: server)
        client.sendFrame(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        var frame = try client.frame()
        if frame.first == 0x82 {
            // The content type of an alert is 21.
            #expect(frame.content.first == 21)
            frame = try client.frame()
        }
        #expect(frame == HTTPClient.Frame(0x88, [0x03, 0xF0]))
        client.finish()
        #expect(await server.waitForEnd() == .some(.tlsFailed))
    }

    @Test("a record that doesn't open ends the WebSocket with the code 1008, after the alert")
    func brokenRecord() async throws {
        let server = Recorder()
        let (client, peer) = try await opened(by: server)
        var record = peer.sealed([1, 2, 3])
        record[record.count - 1] ^= 1
        client.sendFrame(record)
        #expect(try client.frame().first == 0x82)
        #expect(try client.frame() == HTTPClient.Frame(0x88, [0x03, 0xF0]))
        client.finish()
        #expect(await server.waitForEnd() == .some(.tlsFailed))
    }

    @Test("a client that opens a WebSocket and says nothing, or only pings, is let go after its time")
    func halfOpen() async throws {
        var limits = ConnectionLimits()
        limits.handshake = .milliseconds(100)
        for isPinging in [false, true] {
            let server = Recorder()
            let client = try await connected(to: server, limits: limits)
            if isPinging { client.sendFrame([], first: 0x89) }
            #expect(await server.waitForEnd() == .some(.timedOut))
            try client.waitForHangUp()
        }
    }

    @Test("a client counts by the address that a trusted proxy has named last, and otherwise by its own")
    func addresses() async throws {
        for (proxies, address) in [
            (["127.0.0.1"], [203, 0, 113, 7]), (["127.0.0.2"], [127, 0, 0, 1]),
        ] as [([String], [UInt8])] {
            let server = Recorder()
            let client = try await connected(
                to: server, forwardedFor: ["198.51.100.1", "192.0.2.1, 203.0.113.7"], by: proxies)
            try shakeHands(client, try makePeer())
            #expect(await server.waitForOpening() != nil)
            let connection = try #require(server.connection)
            #expect(connection.peerAddress == address)
            let text = address.map { "\($0)" }.joined(separator: ".")
            #expect(connection.peerDescription.hasPrefix(text))
            #expect(connection.peerDescription.contains(":") == (address[0] == 127))
        }
    }
}
