import FocusHTTP
import Glibc
import TestSupport
import TestTraits
import Testing

@Suite("Connections that another protocol takes over", .ends(within: .seconds(600)))
struct HandingOverTests {
    /// Returns a client with another protocol, and the server's socket for it.
    private func upgraded(
        _ server: TestServer, early: String = ""
    ) throws -> (client: HTTPClient, socket: Int32, early: [UInt8]) {
        let count = try server.handling { $0.upgraded.count }
        let client = try server.client()
        client.send(
            "GET /upgrade HTTP/1.1\r\nHost: \(server.host)\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n"
                + early)
        let head = try client.head()
        #expect(head.status == 101 && head.headers["upgrade"] == "test" && head.headers["x-each"] == "yes")
        #expect(head.headers["connection"]?.lowercased() == "upgrade")
        try server.wait(for: "the socket is handed over") { $0.upgraded.count > count }
        let (socket, bytes) = try server.handling { $0.upgraded[count] }
        return (client, socket, bytes)
    }

    /// Expects that bytes go both ways between a client and the server's socket.
    private func expectOpen(_ client: HTTPClient, _ socket: Int32) throws {
        #expect(write(socket, "hello", 5) == 5)
        _ = try client.text(upTo: "hello")
        client.send("again")
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let isReady = poll(&state, 1, 60_000) == 1
        var room = [UInt8](repeating: 0, count: 16)
        let count = read(socket, &room, room.count)
        #expect(isReady && count == 5)
    }

    @Test("after the answer the client's socket is handed over, with what came behind the request")
    func handedOver() throws {
        let server = try TestServer()
        let (client, socket, early) = try upgraded(server, early: "early")
        defer { close(socket) }
        #expect(early == Array("early".utf8))
        // The server has closed its own descriptor of the socket once it answers the next client.
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
        try expectOpen(client, socket)
    }

    @Test("connections that were handed over take no room, and aren't hung up on")
    func room() throws {
        var limits = HTTPLimits()
        limits.connections = 2
        limits.patience = .seconds(1)
        let server = try TestServer(limits)
        // They are more than libmicrohttpd accepts at once.
        let all = try (0..<30).map { _ in try upgraded(server) }
        defer { for one in all { close(one.socket) } }
        try server.client().waitForHangUp()
        for one in all { try expectOpen(one.client, one.socket) }
    }

    @Test("a closed server leaves connections alone that it has handed over")
    func closing() throws {
        let server = try TestServer()
        let (client, socket, _) = try upgraded(server)
        defer { close(socket) }
        try server.close()
        try expectOpen(client, socket)
    }

    @Test("a client that leaves in the middle of its request for another protocol harms nobody")
    func leaving() throws {
        let server = try TestServer()
        for length in [10, 40, 90] {
            let request =
                "GET /upgrade HTTP/1.1\r\nHost: \(server.host)\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n"
            try server.client().send(String(request.prefix(length)))
        }
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
    }
}
