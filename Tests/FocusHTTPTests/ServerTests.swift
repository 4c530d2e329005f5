import FocusHTTP
import FocusNet
import Glibc
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

    @Test("a long answer is sent whole, and only its length for HEAD")
    func longAnswer() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("HEAD /long HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        #expect(try client.head().headers["content-length"] == "\(1 << 25)")
        let body = try client.ask("GET", "/long", host: server.host).body
        #expect(body.utf8.count == 1 << 25 && body.utf8.allSatisfy { $0 == 0x78 })
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

    @Test("the wait for a connection's first request counts as its age, and no time between requests")
    func ages() throws {
        let server = try TestServer()
        let client = try server.client()
        // The server has accepted a client once it answers a later one.
        _ = try server.client().ask("GET", "/age", host: server.host)
        var ages: [Double] = []
        for _ in 0..<2 {
            #expect(try !client.hasHungUp(within: .seconds(1)))
            let body = try client.ask("GET", "/age", host: server.host).body
            ages.append(try #require(Double(body)))
        }
        #expect(ages[0] > 900 && ages[1] < 900)
    }

    @Test("a request that has arrived when the server closes is turned away, and ends nothing else")
    func lateRequest() throws {
        let server = try TestServer()
        let port = server.port
        try server.close {
            try HTTPClient(port: port).send("GET /later HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        #expect(try server.handling { $0.waiting.isEmpty })
    }

    @Test("a client for which the process has no descriptor waits, and takes little of the server's time")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try TestServer()
            // The next descriptor is the last one, and it is the client's own.
            let last = open("/dev/null", O_RDONLY)
            close(last)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var few = limit
            few.rlim_cur = rlim_t(last + 1)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            let client = try server.client()
            // Microseconds of all processors.
            let begin = clock()
            #expect(try !client.hasHungUp(within: .seconds(1)))
            #expect(clock() - begin < 300_000)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(try client.ask("POST", "/echo", host: server.host, body: "x").body == "x")
        }
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

    @Test("connections from one address make room for each other, and none of another address does")
    func perAddress() throws {
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 3
        limits.proxies = [try #require(AddressRange("127.0.0.1"))]
        limits.patience = .seconds(300)
        let server = try TestServer(limits)
        // Asks for an answer that isn't taken. The last address is the proxy's word; a client can write the others.
        func ask(for address: String) throws -> HTTPClient {
            let client = try server.client()
            let header = "X-Forwarded-For: 192.0.2.1, \(address)"
            client.send("GET /long HTTP/1.1\r\nHost: \(server.host)\r\n\(header)\r\n\r\n")
            #expect(try client.head().status == 200)
            return client
        }
        // The proxy's connections without a request count for no address.
        let idle = try (0..<5).map { _ in try server.client() }
        let others = [try ask(for: "2001:db8::1"), try ask(for: "203.0.113.8")]
        let clients = try (0..<4).map { _ in try ask(for: "203.0.113.7") }
        try clients[0].waitForHangUp()
        for client in clients[1...] + others { #expect(try client.bytes(1 << 25).count == 1 << 25) }
        for client in idle {
            #expect(try client.ask("POST", "/echo", host: server.host, body: "x").body == "x")
        }
    }

    @Test("if all connections are taken, an address at its limit makes room for itself only")
    func fullByOne() throws {
        var limits = HTTPLimits()
        limits.connections = 3
        limits.connectionsPerAddress = 2
        limits.patience = .seconds(300)
        let server = try TestServer(limits, for: .anyone(at: "127.0.0.1"))
        func begin(from source: UInt8) throws -> HTTPClient {
            let client = try HTTPClient(port: server.port, from: source)
            client.send("GET /echo HTTP/1.1\r\nHost: h\r\n")
            return client
        }
        let other = try begin(from: 2)
        let half = try (0..<10).map { _ in try begin(from: 1) }
        for client in half.dropLast(2) { try client.waitForHangUp() }
        other.send("\r\n")
        #expect(try other.answer().status == 200)
    }

    @Test("half requests from one address make room for each other, even if they claim a proxy")
    func halfRequestsOfOne() throws {
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 2
        limits.patience = .seconds(300)
        let server = try TestServer(limits)
        let half = try (0..<3).map { place in
            let client = try server.client()
            client.send("GET /echo HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.\(place)\r\n")
            return client
        }
        try half[0].waitForHangUp()
        for client in half[1...] {
            client.send("\r\n")
            #expect(try client.answer().status == 200)
        }
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
