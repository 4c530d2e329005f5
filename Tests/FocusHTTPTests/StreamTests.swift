import FocusHTTP
import FocusNet
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("A stream of events", .ends(within: .seconds(600)))
struct StreamTests {
    private func follow(_ server: TestServer) throws -> HTTPClient {
        let client = try server.client()
        client.send("GET /stream HTTP/1.1\r\nHost: \(server.host)\r\n\r\n")
        let (status, headers) = try client.head()
        guard status == 200 else { throw HTTPClient.Failure(description: "\(status)") }
        #expect(headers["content-type"] == "text/event-stream; charset=utf-8")
        #expect(headers["x-each"] == "yes")
        return client
    }

    @Test("each event comes as soon as there is one, from the first on")
    func events() throws {
        let server = try TestServer()
        let clients = try (0..<3).map { _ in try follow(server) }
        for client in clients { _ = try client.text(upTo: "event: hello\ndata: 1\n\n") }
        for number in 0..<20 {
            try server.handling { $0.streams.forEach { $0.offer("count", "\(number)") } }
            for client in clients { _ = try client.text(upTo: "event: count\ndata: \(number)\n\n") }
        }
    }

    @Test("of events that come faster than they are read, the newest one comes")
    func newest() throws {
        let server = try TestServer()
        let client = try follow(server)
        try server.handling { handler in
            for number in 0..<1000 {
                handler.streams.forEach { $0.offer("count", "\(number)") }
            }
        }
        _ = try client.text(upTo: "data: 999\n\n")
    }

    @Test("an event that is longer than what is sent at once comes whole")
    func longEvents() throws {
        let server = try TestServer()
        let client = try follow(server)
        _ = try client.text(upTo: "data: 1\n\n")
        let line = String(repeating: "0123456789", count: 30_000)
        try server.handling { $0.streams.forEach { $0.offer("long", line) } }
        var found = try client.text(upTo: "\n\n")
        // The length of each piece precedes it, on a line of its own.
        found = found.components(separatedBy: "\r\n").filter { !$0.allSatisfy(\.isHexDigit) || $0.count > 8 }
            .joined()
        #expect(found.hasSuffix("event: long\ndata: " + line))
    }

    @Test("a stream on which nothing happens says that it is alive, and notices who has gone by that")
    func keepingAlive() throws {
        var limits = HTTPLimits()
        limits.keepAlive = .seconds(1)
        let server = try TestServer(limits)
        let client = try follow(server)
        _ = try follow(server)
        _ = try client.text(upTo: "\n: \n\n")
        try server.wait(for: "who has gone is noticed") { $0.closed > 0 }
        _ = try client.text(upTo: "\n: \n\n")
    }

    @Test("one stream more than there may be is refused, until another ends")
    func tooMany() throws {
        var limits = HTTPLimits()
        limits.streams = 2
        let server = try TestServer(limits)
        let clients = try [follow(server), follow(server)]
        let refused = try server.client().ask("GET", "/stream", host: server.host)
        #expect(refused.status == 503)
        try server.handling { handler in
            handler.streams[0].end()
            handler.streams[0].end()
        }
        try clients[0].waitForEndOfStream()
        try server.wait(for: "the stream's end is told") { $0.closed > 0 }
        let next = try follow(server)
        _ = try next.text(upTo: "data: 1\n\n")
    }

    @Test("a client that doesn't read is hung up on")
    func deafClients() throws {
        var limits = HTTPLimits()
        limits.patience = .seconds(1)
        let server = try TestServer(limits)
        let deaf = try follow(server)
        // The line is longer than the buffers between the two ends.
        let line = String(repeating: "x", count: 1 << 25)
        try server.handling { $0.streams.forEach { $0.offer("long", line) } }
        try server.wait(for: "the deaf client is hung up on") { $0.closed > 0 }
        withExtendedLifetime(deaf) {}
    }
}
