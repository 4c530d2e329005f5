import FocusHTTP
import FocusNet
import TestSupport
import TestTraits
import Testing

@Suite("A server on loopback", .ends(within: .seconds(600)))
struct ServerTests {
    @Test("requests on one connection are answered one after the other, with the headers of each answer")
    func answers() throws {
        let server = try TestServer()
        let client = try server.client()
        for text in ["one", "", "three"] {
            let answer = try client.ask("POST", "/echo", host: server.host, body: text)
            #expect(answer.status == 200)
            #expect(answer.body == text)
            #expect(answer.headers["x-each"] == "yes")
            #expect(answer.headers["content-type"] == "text/plain")
        }
        #expect(try client.ask("GET", "/nowhere", host: server.host).status == 404)
        #expect(try client.ask("GET", "/echo", host: server.host).body == "")
    }

    @Test("requests that come in one piece are answered in their order")
    func pipelining() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(
            (1...5).map {
                "POST /echo HTTP/1.1\r\nHost: \(server.host)\r\nContent-Length: 1\r\n\r\n\($0)"
            }.joined())
        for number in 1...5 { #expect(try client.answer().body == "\(number)") }
    }

    @Test("an answer may come later, and others come meanwhile")
    func laterAnswers() throws {
        let server = try TestServer()
        let first = try server.client()
        first.send("GET /later HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        try server.wait(for: "the request has come") { !$0.waiting.isEmpty }
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
        try server.handling { handler in
            for exchange in handler.waiting {
                exchange.send(HTTPResponse(200, type: "text/plain", Array("now".utf8)))
                exchange.send(HTTPResponse(500))
            }
            handler.waiting = []
        }
        #expect(try first.answer().body == "now")
        #expect(try first.ask("POST", "/echo", host: server.host, body: "again").body == "again")
    }

    @Test("a client that leaves before its answer harms nobody")
    func leaving() throws {
        let server = try TestServer()
        do {
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients { client.send("GET /later HTTP/1.1\r\nHost: \(server.host)\r\n\r\n") }
            try withExtendedLifetime(clients) {
                try server.wait(for: "the requests have come") { $0.waiting.count == 3 }
            }
        }
        try server.handling { handler in
            for exchange in handler.waiting { exchange.send(HTTPResponse(204)) }
            handler.waiting = []
        }
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
    }

    @Test(
        "what is refused by its head isn't read",
        arguments: [
            ("POST /never HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n", 403),
            ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n", 413),
            ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999999999999999999\r\n\r\n", 413),
            ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", 400),
            ("POST /echo HTTP/1.1\r\nHost: h\r\n\r\n", 411),
            ("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("GET /echo HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400),
            ("GET /echo HTTP/1.1\r\nHost: h\r\nOrigin: a\r\norigin: a\r\n\r\n", 400),
            ("GET /echo HTTP/1.1\r\n\r\n", 400),
        ])
    func refusals(request: String, status: Int) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request)
        #expect(try client.head().status == status)
        try client.waitForHangUp()
    }

    @Test("a body as long as it may be is read")
    func longestBody() throws {
        let server = try TestServer()
        let body = String(repeating: "b", count: HTTPLimits().body)
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: body).body == body)
    }

    @Test(
        "what is no HTTP, or too long for it, ends the connection and nothing else",
        arguments: [
            "\r\n\r\n\r\n\0\0\0", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "a", count: 100_000) + "\r\n\r\n",
            "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 20_000) + "\r\n",
        ])
    func nonsense(text: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(text)
        client.send("\r\n\r\n")
        client.finish()
        try client.waitForHangUp()
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
    }

    @Test("a client that takes too long for a request is hung up on, though a byte comes now and then")
    func slowClients() throws {
        var limits = HTTPLimits()
        limits.patience = .seconds(1)
        let server = try TestServer(limits)
        let silent = try server.client()
        let slow = try server.client()
        slow.send("GET /echo HTTP/1.1\r\nHost: \(server.host)\r\nX: ")
        // The client sends a byte at a time, for up to two minutes.
        let hasHungUp = try (0..<1_200).contains { _ in
            slow.send("x")
            return try slow.hasHungUp(within: .milliseconds(100))
        }
        #expect(hasHungUp)
        try silent.waitForHangUp()
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
    }

    /// Returns a server with few connections and a timeout that is longer than a test.
    private func narrow() throws -> TestServer {
        var limits = HTTPLimits()
        limits.connections = 4
        limits.patience = .seconds(300)
        return try TestServer(limits)
    }

    @Test("with all connections taken by half requests, the oldest of them makes room for the next client")
    func halfRequests() throws {
        let server = try narrow()
        let half = try (0..<40).map { _ in
            let client = try server.client()
            client.send("GET /echo HTTP/1.1\r\nHost: \(server.host)\r\n")
            return client
        }
        for _ in 0..<20 {
            #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
        }
        try half[0].waitForHangUp()
        withExtendedLifetime(half) {}
    }

    @Test("clients that don't take their answers make room too, and those that are being answered don't")
    func unreadAnswers() throws {
        let server = try narrow()
        let later = try server.client()
        later.send("GET /later HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        try server.wait(for: "the request has come") { !$0.waiting.isEmpty }
        let deaf = try (0..<20).map { _ in
            let client = try server.client()
            client.send("GET /long HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
            return client
        }
        #expect(try server.client().ask("POST", "/echo", host: server.host, body: "x").body == "x")
        try server.handling { handler in
            handler.waiting.forEach { $0.send(HTTPResponse(200, type: "text/plain", Array("now".utf8))) }
            handler.waiting = []
        }
        #expect(try later.answer().body == "now")
        withExtendedLifetime(deaf) {}
    }

    @Test("a closed server has hung up on everybody, and its port is free")
    func closing() async throws {
        let server = try TestServer()
        let later = try server.client()
        later.send("GET /later HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        let stream = try server.client()
        stream.send("GET /stream HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        let idle = try server.client()
        try server.wait(for: "the requests have come") { !$0.waiting.isEmpty && !$0.streams.isEmpty }
        try server.close()
        for client in [later, stream, idle] { try client.waitForHangUp() }
        #expect(try server.handling { $0.closed } == 1)
        // A child process of another test also holds the socket until it executes its program.
        try await waitUntil("nobody listens") { (try? server.client()) == nil }
        // A late answer has no effect.
        try server.handling { handler in
            handler.waiting.forEach { $0.send(HTTPResponse(204)) }
            handler.streams.forEach { $0.offer("late", "1") }
        }
    }
}
