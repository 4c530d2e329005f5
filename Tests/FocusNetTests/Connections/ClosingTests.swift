import FocusNet
import TestTraits
import Testing

@Suite("The end of a connection", .ends(within: .seconds(600)))
struct ClosingTests {
    @Test(
        "closing lets the peer have all that was sent, and both know it ended well", arguments: Way.allCases)
    func orderly(way: Way) async throws {
        let harness = try await Harness(way, server: Recorder(quiet: true))
        let client = Recorder()
        let connection = try await harness.connect(client)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            connection.send(pattern(3 << 20))
            connection.close()
            connection.close()
            connection.send([1])
            #expect(!connection.isOpen)
        }
        #expect(await harness.server.waitForEnd() == .some(nil))
        #expect(await client.waitForEnd() == .some(nil))
        #expect(harness.server.byteCount == 3 << 20)
    }

    @Test(
        "a server that closes while bytes still arrive gets its last words through", arguments: Way.allCases)
    func lastWords(way: Way) async throws {
        let harness = try await Harness(way, server: Recorder(.close, quiet: true))
        let client = Recorder()
        let connection = try await harness.connect(client)
        _ = await harness.server.waitForOpening()
        let server = try #require(harness.server.connection)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            server.send(pattern(100_000))
            connection.send([UInt8](repeating: 1, count: 1 << 20))
        }
        #expect(await client.waitForBytes(100_000) == pattern(100_000))
        #expect(await client.waitForEnd() == .some(nil))
    }

    @Test("a peer that is gone at once is told from one that said goodbye in TLS")
    func abrupt() async throws {
        let harness = try await Harness(.tls, server: Recorder(.abort))
        let client = Recorder()
        try await harness.connect(client, first: [1])
        #expect(await harness.server.waitForEnd() == .some(.aborted))
        #expect(await client.waitForEnd() == .some(.closed))
    }

    @Test("giving up loses what is unsent and is reported once", arguments: Way.allCases)
    func abort(way: Way) async throws {
        let harness = try await Harness(way)
        let client = Recorder()
        let connection = try await harness.connect(client)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            connection.send([1, 2, 3])
            connection.abort()
            connection.abort()
            connection.close()
            connection.resumeReading()
        }
        #expect(await client.waitForEnd() == .some(.aborted))
        #expect(await harness.server.waitForEnd() != nil)
        #expect(harness.server.byteCount == 0)
    }

    @Test("a connection can be given up before it is open", arguments: Way.allCases)
    func early(way: Way) async throws {
        let harness = try await Harness(way)
        let client = Recorder()
        let connection = try await harness.connect(client)
        try await harness.loop.perform { connection.close() }
        let end = await client.waitForEnd()
        #expect(end == .some(.aborted) || end == .some(nil))
    }

    @Test("a connection and its handler are let go when it is over", arguments: Way.allCases)
    func letGo(way: Way) async throws {
        let harness = try await Harness(way)
        weak var connection: Connection?
        weak var handler: Recorder?
        do {
            let client = Recorder()
            let made = try await harness.connect(client)
            connection = made
            handler = client
            _ = await client.waitForOpening()
            try await harness.loop.perform { made.close() }
            #expect(await client.waitForEnd() == .some(nil))
        }
        try await harness.loop.perform {}
        #expect(connection == nil)
        #expect(handler == nil)
    }
}
