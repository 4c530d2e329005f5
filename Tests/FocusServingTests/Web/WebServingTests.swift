import FocusCore
import FocusHTTP
import FocusNet
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import Foundation
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("Browsers at a server", .ends(within: .seconds(300)))
struct WebServingTests {
    private let installation: Installation
    private let folder: TemporaryFolder

    init() throws {
        installation = try Installation()
        folder = try TemporaryFolder()
        try Data("<!doctype html>".utf8).write(to: URL(filePath: folder.file("index.html")))
        try Data("let a = 1".utf8).write(to: URL(filePath: folder.file("page.js")))
        try Data(repeating: 7, count: 8 << 20).write(to: URL(filePath: folder.file("a.wasm")))
    }

    /// Runs the server with its page while `body` runs with the page's port.
    private func serving<Value>(
        _ limits: ServerLimits = ServerLimits(), origins: [String] = [], behind proxies: [String] = [],
        filesIn files: String? = nil, _ body: (UInt16, Endpoint, Server) async throws -> Value
    ) async throws -> Value {
        var web = WebSettings()
        web.address = Address("127.0.0.1:0")
        web.origins = origins.compactMap { WebOrigin($0) }
        web.proxies = proxies.compactMap { AddressRange($0) }
        web.folder = files ?? folder.path
        return try await installation.serving(limits, web: web) { endpoint, server in
            guard case .text(let text)? = installation.book.values(of: "web").first else { throw NoPort() }
            return try await body(try #require(Address(text)?.port), endpoint, server)
        }
    }

    /// The log doesn't name the page's address.
    private struct NoPort: Error {}

    @Test("a browser's device brings a group over a WebSocket, and comes back with its key")
    func device() async throws {
        try await serving { port, _, _ in
            let identity = try DeviceIdentity.generate()
            let invite = try installation.invite()
            let pin = try installation.key()
            let browser = try WebLaptop(at: port, identity, pin: pin, purpose: .enrol)
            let token = try invite.secret.token().bytes.exposed()
            try browser.send(
                .enrol(Enrol(token: token, kind: .bring(ServerFixture.group, ServerFixture.epoch))))
            #expect(try browser.enter().group == ServerFixture.group)
            var author = Author(1)
            let segment = try author.write(3)
            try browser.send(.upload(segment))
            let ack = try browser.next { message in if case .ack(let ack) = message { ack } else { nil } }
            #expect(ack.head == Head(seq: 3, chain: author.chain))

            let again = try WebLaptop(at: port, identity, pin: pin, purpose: .sync)
            #expect(try again.enter().vector[author.replica] == ack.head)
            let push = try again.next { message in
                if case .push(let segment) = message { segment } else { nil }
            }
            #expect(push == segment)
        }
    }

    @Test("a proxy for browsers may connect as a laptop too, without the PROXY protocol")
    func proxyAndLaptop() async throws {
        try await serving(behind: ["127.0.0.1"]) { _, endpoint, _ in
            guard case .tcp(_, let port) = endpoint else { return }
            let laptop = try HTTPClient(port: port)
            laptop.send(bytes: hello)
            // TLS answers with an alert, because it is older than laptops' TLS.
            #expect(try laptop.bytes(1) == [21])
        }
    }

    /// The first message of a handshake of TLS 1.2, as BearSSL's client sends it.
    private var hello: [UInt8] {
        func long(_ number: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        let name = Array(ProtocolVersion.applicationProtocol.utf8)
        // Groups, forms of points, algorithms of signatures, and the application protocol.
        var extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23]
        extensions += [0, 11, 0, 2, 1, 0, 0, 13, 0, 4, 0, 2, 4, 3, 0, 16]
        extensions += long(name.count + 3) + long(name.count + 1) + [UInt8(name.count)] + name
        var body: [UInt8] = [3, 3] + Array(repeating: 9, count: 32)
        // No session, ECDHE-ECDSA with ChaCha20, no compression.
        body += [0, 0, 2, 0xCC, 0xA9, 1, 0]
        body += long(extensions.count) + extensions
        let message: [UInt8] = [1, 0] + long(body.count) + body
        return [22, 3, 1] + long(message.count) + message
    }

    @Test("browsers may speak TLS 1.2, and laptops may not")
    func olderTLS() async throws {
        try await serving { port, endpoint, _ in
            let browser = try HTTPClient(port: port)
            #expect(try browser.openWebSocket("/sync", host: "127.0.0.1:\(port)").status == 101)
            browser.sendFrame(hello)
            // A record's content type is 22 for a handshake and 21 for an alert.
            #expect(try browser.frame().content.first == 22)
            guard case .tcp(_, let plain) = endpoint else { return }
            let laptop = try HTTPClient(port: plain)
            laptop.send(bytes: hello)
            #expect(try laptop.bytes(1) == [21])
        }
    }

    @Test("the page's files are served with their types and tags, and a known version isn't sent again")
    func files() async throws {
        try await serving { port, _, _ in
            let (client, host) = (try HTTPClient(port: port), "127.0.0.1:\(port)")
            let page = try client.ask("GET", "/", host: host)
            #expect(page.status == 200 && page.body == "<!doctype html>")
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(try client.ask("GET", "/index.html?a=b", host: host).body == page.body)
            for header in WebPages.headers { #expect(page.headers[header.name.lowercased()] == header.value) }
            let script = try client.ask("GET", "/page.js", host: host)
            #expect(script.body == "let a = 1" && script.headers["etag"] != page.headers["etag"])
            let tag = try #require(script.headers["etag"])
            client.send("GET /page.js HTTP/1.1\r\nHost: \(host)\r\nIf-None-Match: \(tag)\r\n\r\n")
            let known = try client.head()
            #expect(known.status == 304 && known.headers["etag"] == tag)
            #expect(known.headers["content-length"] == "9" && known.headers["cache-control"] == "no-cache")
            let other = try client.ask("GET", "/", host: host, ["If-None-Match": tag])
            #expect(other.status == 200)
            #expect(try client.ask("GET", "/a.wasm", host: host).body.utf8.count == 8 << 20)
            client.send("HEAD /a.wasm HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let long = try client.head()
            #expect(long.status == 200 && long.headers["content-length"] == "\(8 << 20)")
            let longTag = try #require(long.headers["etag"])
            client.send("GET /a.wasm HTTP/1.1\r\nHost: \(host)\r\nIf-None-Match: \(longTag)\r\n\r\n")
            #expect(try client.head().status == 304)
            #expect(try client.ask("GET", "/page.js", host: host).body == script.body)
        }
    }

    @Test("the page runs only its own files, and the documentation has the same headers for another site")
    func policy() throws {
        let policy = try #require(WebPages.headers.first { $0.name == "Content-Security-Policy" }?.value)
        let sources = policy.split(separator: ";").flatMap { $0.split(separator: " ").dropFirst() }
        #expect(Set(sources) == ["'none'", "'self'", "'wasm-unsafe-eval'", "data:"])
        #expect(policy.contains("img-src 'self' data:;") && policy.contains("default-src 'none';"))
        let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/browser.md"), encoding: .utf8)
        for header in WebPages.headers {
            let value = header.value.replacing(
                "connect-src 'self'", with: "connect-src 'self' wss://focus.example.org")
            #expect(page.contains("\n\(header.name): \(value)\n"), "\(header.name)")
        }
    }

    @Test("other addresses and methods, bodies and long heads are refused")
    func refusals() async throws {
        try await serving { port, _, _ in
            for (line, status) in [
                ("GET /nowhere", 404), ("GET /../focusd.conf", 404), ("GET /page.js/", 404),
                ("GET /sync/", 404), ("POST /", 405), ("DELETE /page.js", 405), ("POST /sync", 405),
                ("HEAD /sync", 405), ("GET /sync", 426),
            ] {
                let client = try HTTPClient(port: port)
                client.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                let head = try client.head()
                #expect(head.status == status, "\(line)")
                #expect(head.headers["x-content-type-options"] == "nosniff")
            }
            let client = try HTTPClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
            #expect(try client.head().status == 413)
            let long = try HTTPClient(port: port)
            let value = String(repeating: "x", count: WebSocketUpgrade.headLimit)
            long.send("GET /page.js HTTP/1.1\r\nHost: h\r\nX: \(value)\r\n\r\n")
            #expect(try long.head().status == 431)
        }
    }

    @Test("the page's files may be asked for at once, even if strangers have little room")
    func crowd() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        try await serving(limits) { port, _, _ in
            let clients = try (0..<100).map { _ in try HTTPClient(port: port) }
            for client in clients { client.send("GET /page.js HTTP/1.1\r\n") }
            // The server has accepted the others once it answers a later one.
            #expect(try HTTPClient(port: port).ask("GET", "/", host: "h").status == 200)
            for client in clients {
                client.send("Host: h\r\n\r\n")
                #expect(try client.answer().body == "let a = 1")
            }
        }
    }

    @Test("only the server's own page and listed ones may open a WebSocket")
    func origins() async throws {
        try await serving(origins: ["https://focus.example"]) { port, _, _ in
            let host = "127.0.0.1:\(port)"
            for (origin, status) in [
                ("http://\(host)", 101), ("https://focus.example", 101), ("https://other.example", 403),
                ("null", 403), ("https://focus.example:8443", 403),
            ] {
                let head = try HTTPClient(port: port).openWebSocket("/sync", host: host, ["Origin": origin])
                #expect(head.status == status, "\(origin)")
            }
            let head = try HTTPClient(port: port).openWebSocket(
                "/sync", host: host, ["Sec-WebSocket-Version": "8"])
            #expect(head.status == 426 && head.headers["sec-websocket-version"] == "13")
            let long = ["X": String(repeating: "x", count: 8_192)]
            #expect(try HTTPClient(port: port).openWebSocket("/sync", host: host, long).status == 431)
        }
    }

    @Test("a client that opens a WebSocket only in part, or says nothing on it, is let go after its time")
    func halfOpen() async throws {
        var limits = ServerLimits()
        limits.session.opening = .seconds(2)
        try await serving(limits) { port, _, _ in
            let half = try HTTPClient(port: port)
            half.send("GET /sync HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n")
            let silent = try HTTPClient(port: port)
            #expect(try silent.openWebSocket("/sync", host: "127.0.0.1:\(port)").status == 101)
            let begun = try HTTPClient(port: port)
            #expect(try begun.openWebSocket("/sync", host: "127.0.0.1:\(port)").status == 101)
            begun.sendFrame(hello)
            for client in [half, silent, begun] { try client.waitForHangUp() }
            try await waitUntil("both are counted") {
                installation.book.events.count { $0 == "handshake-failed" } == 2
            }
        }
    }

    @Test("a browser is a stranger until its device is known: strangers of one address have little room")
    func strangers() async throws {
        var limits = ServerLimits()
        limits.strangersPerAddress = 2
        try await serving(limits, behind: ["127.0.0.1"]) { port, _, _ in
            func open(_ address: String) throws -> HTTPClient {
                let client = try HTTPClient(port: port)
                let head = try client.openWebSocket(
                    "/sync", host: "127.0.0.1:\(port)", ["X-Forwarded-For": "192.0.2.1, \(address)"])
                #expect(head.status == 101)
                return client
            }
            let first = try open("203.0.113.7")
            let second = try open("203.0.113.7")
            let others = [try open("203.0.113.8"), try open("203.0.113.9")]
            for client in [first, second] + others {
                client.sendFrame([1], first: 0x89)
                #expect(try client.frame() == HTTPClient.Frame(0x8A, [1]))
            }
            let third = try open("203.0.113.7")
            try first.waitForHangUp()
            for client in [second, third] + others {
                client.sendFrame([2], first: 0x89)
                #expect(try client.frame() == HTTPClient.Frame(0x8A, [2]))
            }
        }
    }

    @Test("browsers see a new key of the server as soon as laptops do")
    func newKey() async throws {
        try await serving { port, _, _ in
            let identity = try DeviceIdentity.generate()
            let other = try IdentityFile(path: folder.file("other.pem")).loadOrCreate()
            try FileManager.default.removeItem(atPath: installation.folder.identity)
            try FileManager.default.copyItem(
                atPath: folder.file("other.pem"), toPath: installation.folder.identity)
            try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
                .write { try $0.raiseRevision() }
            try await waitUntil("the key is read") { installation.book.events.contains("key-changed") }
            _ = try WebLaptop(at: port, identity, pin: other.keyHash, purpose: .enrol)
        }
    }

    @Test("without the page's files the page says so, WebSockets work, and the log names what is missing")
    func noFiles() async throws {
        try Data(repeating: 7, count: 8 << 20 + 1).write(to: URL(filePath: folder.file("b.js")))
        try FileManager.default.removeItem(atPath: folder.file("index.html"))
        try await serving { port, _, _ in
            let page = try HTTPClient(port: port).ask("GET", "/", host: "h")
            #expect(page.status == 404 && page.body.contains("isn't installed"))
            #expect(page.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(try HTTPClient(port: port).openWebSocket("/sync", host: "h").status == 101)
        }
        #expect(
            installation.book.values(of: "web-file-left-out")
                == [.text(folder.file("b.js")), .text("too long")])
        #expect(
            installation.book.values(of: "no-page") == [.text(folder.path), .remedy(.installPage)])
    }

    @Test("a server that stops hangs up on browsers that are still opening a WebSocket")
    func stoppingEarly() async throws {
        let clients = try await serving { port, _, server in
            let clients = try (0..<3).map { _ in try HTTPClient(port: port) }
            clients[0].send("GET /sync HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n")
            for client in clients[1...] {
                #expect(try client.openWebSocket("/sync", host: "h").status == 101)
            }
            clients[2].sendFrame(hello)
            #expect(try clients[2].frame().content.first == 22)
            await server.stop()
            // This handshake begins at a server that is stopping.
            clients[1].sendFrame(hello)
            return clients
        }
        for client in clients { try client.waitForHangUp() }
    }

    @Test("a server that stops takes no more browsers, and says goodbye to those that are there")
    func stopping() async throws {
        try await serving { port, _, server in
            let identity = try DeviceIdentity.generate()
            let browser = try WebLaptop(
                at: port, identity, pin: installation.key(), purpose: .enrol)
            await server.stop()
            let refusal = try browser.next { message in
                if case .error(let refusal) = message { refusal.code } else { nil }
            }
            #expect(refusal == .shuttingDown)
            try await waitUntil("nobody listens") { (try? HTTPClient(port: port)) == nil }
        }
    }
}
