import FocusHTTP
import TestTraits
import Testing

@Suite("Making a WebSocket of a connection", .ends(within: .seconds(600)))
struct UpgradeTests {
    /// The headers of RFC 6455 §1.3.
    private let example = [
        HTTPField("Host", "server.example.com"), HTTPField("Upgrade", "websocket"),
        HTTPField("Connection", "Upgrade"), HTTPField("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        HTTPField("Origin", "http://example.com"), HTTPField("Sec-WebSocket-Protocol", "chat, superchat"),
        HTTPField("Sec-WebSocket-Version", "13"),
    ]

    /// The response to the example, with the headers of one name replaced.
    private func response(
        _ method: String = "GET", _ path: String = "/chat", _ name: String = "", _ values: [String] = [],
        version: String = "HTTP/1.1", from origins: [String] = ["http://example.com"]
    ) throws -> HTTPResponse {
        let headers = example.filter { $0.name != name } + values.map { HTTPField(name, $0) }
        return try WebSocketUpgrade(at: "/chat", from: origins.compactMap { WebOrigin($0) })
            .response(to: HTTPRequest(method, path, headers: headers, version: version))
    }

    private func status(_ name: String, _ values: String...) throws -> UInt32 {
        try response("GET", "/chat", name, values).status
    }

    @Test("RFC 6455's example is answered as it says, without a subprotocol")
    func accepted() throws {
        let expected = HTTPResponse(
            101,
            headers: [
                HTTPField("Upgrade", "websocket"),
                HTTPField("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            ])
        #expect(try response() == expected)
        #expect(try response("GET", "/chat", "Connection", ["keep-alive,\tUPGRADE"]) == expected)
        #expect(try response("GET", "/chat", "Connection", ["keep-alive", "upgrade"]) == expected)
        #expect(try response("GET", "/chat", "Upgrade", ["WebSocket, h2c"]) == expected)
        #expect(try response("GET", "/chat", "Content-Length", ["0"]) == expected)
        #expect(try response("GET", "/chat", "Sec-WebSocket-Extensions", ["permessage-deflate"]) == expected)
    }

    @Test("another path, method or version of HTTP is refused")
    func requestLine() throws {
        #expect(try response("GET", "/").status == 404)
        #expect(try response("GET", "/chat/").status == 404)
        #expect(try response("POST") == .otherMethod(than: "GET"))
        #expect(try response("HEAD") == .otherMethod(than: "GET"))
        for version in ["HTTP/1.0", "HTTP/0.9", "HTTP/2", ""] {
            #expect(try response(version: version).status == 400, "\(version)")
        }
    }

    @Test("a request that isn't for this version of WebSockets is told of it")
    func otherVersions() throws {
        let expected = HTTPResponse(
            426, headers: [HTTPField("Upgrade", "websocket"), HTTPField("Sec-WebSocket-Version", "13")])
        for (name, values) in [
            ("Upgrade", []), ("Upgrade", ["h2c"]), ("Upgrade", ["websockets"]), ("Connection", []),
            ("Connection", ["keep-alive"]), ("Sec-WebSocket-Version", []), ("Sec-WebSocket-Version", ["8"]),
            ("Sec-WebSocket-Version", ["13, 8"]), ("Sec-WebSocket-Version", ["13", "13"]),
        ] as [(String, [String])] {
            #expect(try response("GET", "/chat", name, values) == expected, "\(name): \(values)")
        }
    }

    @Test("a malformed head is refused, and one with a body")
    func malformed() throws {
        #expect(try status("Host") == 400)
        #expect(try status("Host", "server.example.com", "server.example.com") == 400)
        #expect(try status("Origin", "http://example.com", "http://example.com") == 400)
        #expect(try status("Sec-WebSocket-Key") == 400)
        #expect(try status("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ") == 400)
        #expect(
            try status("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==") == 400)
        #expect(try status("Content-Length", "1") == 400)
        #expect(try status("Transfer-Encoding", "chunked") == 400)
    }

    @Test("a head of at most 8 KiB is read")
    func longest() throws {
        let text = "GET /chat HTTP/1.1\r\n\r\n" + example.map { "\($0.name): \($0.value)\r\n" }.joined()
        let room = 8_192 - text.utf8.count - "X: \r\n".utf8.count
        #expect(try status("X", String(repeating: "x", count: room)) == 101)
        #expect(try status("X", String(repeating: "x", count: room + 1)) == 431)
    }

    @Test("the host's own pages may connect, the listed ones, and programs without a page")
    func admitted() throws {
        #expect(try status("Origin") == 101)
        for origin in [
            "http://server.example.com", "https://server.example.com", "https://SERVER.example.com",
            "https://server.example.com:443", "http://server.example.com:80", "http://example.com",
        ] {
            #expect(try status("Origin", origin) == 101, "\(origin)")
        }
        #expect(try status("Host", "server.example.com:443") == 101)
    }

    @Test("other pages may not connect")
    func foreign() throws {
        for origin in [
            "null", "", "https://example.com", "http://example.com:8080", "http://server.example.com:443",
            "https://server.example.com:8443", "https://server.example.com.evil.example",
            "https://evil.example", "server.example.com", "ws://server.example.com",
            "https://server.example.com/",
            "https://user@server.example.com", "https://server.example.com https://evil.example",
        ] {
            #expect(try status("Origin", origin) == 403, "\(origin)")
        }
        #expect(try response(from: []).status == 403)
    }

    @Test("an origin has one form, in which its scheme's own port is left out")
    func origins() {
        for (text, form) in [
            ("https://focus.example", "https://focus.example"),
            ("HTTPS://Focus.Example:443", "https://focus.example"),
            ("https://focus.example:80", "https://focus.example:80"),
            ("http://focus.example:080", "http://focus.example"), ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://[::1]", "http://[::1]"), ("http://127.0.0.1:7855", "http://127.0.0.1:7855"),
        ] {
            #expect(WebOrigin(text)?.text == form)
        }
        for text in [
            "", "https://", "https://:443", "https://x:", "https://x:65536", "https://x:+80", "https://x:1:2",
            "https://[::1", "https://::1]", "https://[::1]x", "https://x/", "https://x?", "https://\u{212A}x",
            "https:/x", " https://x", "*", "https://*.example", "ftp://x",
        ] {
            #expect(WebOrigin(text) == nil, "\(text)")
        }
    }
}
