import CLibUV
import Synchronization
import TestTraits
import Testing

@testable import FocusNet

@Suite("Connections", .ends(within: .seconds(600)))
struct ConnectionTests {
    @Test("what a client sends comes back, also what it sent before it was open", arguments: Way.allCases)
    func echo(way: Way) async throws {
        let harness = try await Harness(way, server: Recorder(.echo))
        let client = Recorder()
        let connection = try await harness.connect(client, first: [1, 2, 3])
        let peer = await client.waitForOpening()
        #expect(peer == (way == .tls ? harness.serverContext.keyHash : nil))
        #expect(await client.waitForBytes(3) == [1, 2, 3])
        try await harness.loop.perform { connection.send([4, 5]) }
        #expect(await client.waitForBytes(2) == [4, 5])
        #expect(await harness.server.waitForOpening() == (way == .tls ? harness.clientContext.keyHash : nil))
    }

    @Test("what comes after a turn finds written what was sent in it, and what it sends goes out as well")
    func afterTurn() async throws {
        let harness = try await Harness(.local, server: Recorder(.echo))
        let client = Recorder()
        let connection = try await harness.connect(client)
        _ = await client.waitForOpening()
        let unsent = await withCheckedContinuation { continuation in
            harness.loop.run { [loop = harness.loop] in
                connection.send([1])
                let before = connection.unsentBytes
                loop.afterTurn {
                    continuation.resume(returning: [before, connection.unsentBytes])
                    connection.send([2])
                    loop.afterTurn { connection.send([3]) }
                }
            }
        }
        #expect(unsent == [1, 0])
        #expect(await client.waitForBytes(3) == [1, 2, 3])
    }

    @Test("a mebibyte goes both ways through sockets with tiny buffers", arguments: Way.allCases)
    func tinyBuffers(way: Way) async throws {
        let harness = try await Harness(way, server: Recorder(.echo))
        let client = Recorder()
        let connection = try await harness.connect(client)
        _ = await client.waitForOpening()
        _ = await harness.server.waitForOpening()
        let server = try #require(harness.server.connection)
        let sent = pattern(1 << 20)
        try await harness.loop.perform {
            for connection in [connection, server] {
                let stream = try #require(connection.stream)
                var size: Int32 = 2_048
                uv_send_buffer_size(handlePointer(stream.raw), &size)
                // On TCP a window smaller than a packet makes the kernel wait for timers at every step.
                if way == .local { uv_recv_buffer_size(handlePointer(stream.raw), &size) }
            }
            for start in stride(from: 0, to: sent.count, by: 1_000) {
                connection.send(Array(sent[start..<min(start + 1_000, sent.count)]))
            }
        }
        #expect(await client.waitForBytes(sent.count) == sent)
        #expect(try await harness.loop.perform { connection.unsentBytes } == 0)
    }

    @Test("two hundred clients at once each get their own bytes back", arguments: Way.allCases)
    func many(way: Way) async throws {
        let harness = try await Harness(way, accept: { _ in Recorder(.echo) })
        let clients = (0..<200).map { _ in Recorder() }
        for (number, client) in clients.enumerated() {
            try await harness.connect(client, first: [UInt8](repeating: UInt8(number), count: 100 + number))
        }
        for (number, client) in clients.enumerated() {
            let bytes = await client.waitForBytes(100 + number)
            #expect(bytes == [UInt8](repeating: UInt8(number), count: 100 + number))
        }
    }

    @Test("a server with another key than the pinned one gets nothing of what was to be sent")
    func wrongPin() async throws {
        let harness = try await Harness(.tls)
        let client = Recorder()
        try await harness.connect(client, pin: try makeContext().keyHash, first: [1, 2, 3])
        #expect(await client.waitForEnd() == .some(.pinMismatch))
        #expect(await harness.server.waitForEnd() == .some(.peerRejected))
        #expect(harness.server.byteCount == 0)
    }

    @Test("a client that sends something else than TLS is turned away, and others are served on")
    func garbage() async throws {
        let servers = Mutex<[Recorder]>([])
        let harness = try await Harness(
            .tls,
            accept: { _ in
                let server = Recorder(.echo)
                servers.withLock { $0.append(server) }
                return server
            })
        let vandal = Recorder()
        try await harness.connect(vandal, transport: .plain, first: pattern(100_000))
        #expect(await vandal.waitForEnd() != nil)
        let victim = try #require(servers.withLock { $0.first })
        #expect(await victim.waitForEnd() == .some(.tlsFailed))
        let client = Recorder()
        try await harness.connect(client, first: [1])
        #expect(await client.waitForBytes(1) == [1])
    }

    @Test("who leaves before it has said anything is told from who breaks off", arguments: [false, true])
    func leaving(byReset: Bool) async throws {
        for (first, code) in [([], .saidNothing), ([22], .closed)] as [([UInt8], NetError.Code)] {
            let harness = try await Harness(.tls)
            let client = Recorder()
            let connection = try await harness.connect(client, transport: .plain)
            _ = await client.waitForOpening()
            // The bytes are written at the end of the turn.
            try await harness.loop.perform { connection.send(first) }
            try await harness.loop.perform {
                if byReset, let stream = connection.stream {
                    var (socket, at) = (uv_os_fd_t(), linger(l_onoff: 1, l_linger: 0))
                    uv_fileno(handlePointer(stream.raw), &socket)
                    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at, socklen_t(MemoryLayout<linger>.size))
                }
                connection.abort()
            }
            #expect(await harness.server.waitForEnd() == .some(code))
        }
    }

    @Test("nobody at the address is told from a name that nobody has")
    func unreachable() async throws {
        let harness = try await Harness(.tls)
        let gone = Recorder()
        let nowhere = Recorder()
        let long = Recorder()
        let held = try HeldPort()
        try await harness.loop.perform { [loop = harness.loop] in
            _ = Connection.connect(to: held.endpoint, over: .plain, on: loop, handler: gone)
            _ = Connection.connect(
                to: .local(path: "/nowhere/at/all"), over: .plain, on: loop, handler: nowhere)
            _ = Connection.connect(
                to: .local(path: String(repeating: "x", count: 200)), over: .plain, on: loop, handler: long)
        }
        #expect(await gone.waitForEnd() == .some(.refused))
        withExtendedLifetime(held) {}
        #expect(await nowhere.waitForEnd() == .some(.refused))
        #expect(await long.waitForEnd() == .some(.badAddress))
    }

    @Test("of clients that come all at once a few shake hands a turn, and all get in") func crowd()
        async throws
    {
        let harness = try await Harness(.tls)
        let clients = (0..<60).map { _ in Recorder() }
        for client in clients { try await harness.connect(client) }
        for client in clients {
            #expect(await client.waitForOpening() == harness.serverContext.keyHash)
        }
        let quiet = try await Harness(.tls)
        let client = Recorder()
        let connection = try await quiet.connect(client)
        _ = await client.waitForOpening()
        _ = await quiet.server.waitForOpening()
        let loop = quiet.loop
        // Anything after this is in a later turn than the handshake.
        try await loop.perform {}
        let turns = try await loop.perform { (0..<10).map { _ in loop.requestHandshakeTurn(connection) } }
        #expect(turns == (0..<10).map { $0 < 4 })
    }
}
