import FocusNet
import Synchronization
import TestTraits
import Testing

@Suite("Deadlines of connections", .ends(within: .seconds(600)))
struct DeadlineTests {
    @Test("a client that connects and says nothing is turned away")
    func handshake() async throws {
        var limits = ConnectionLimits()
        limits.handshake = .milliseconds(50)
        let harness = try await Harness(.tls, limits: limits)
        try await harness.connect(Recorder(), transport: .plain)
        #expect(await harness.server.waitForEnd() == .some(.timedOut))
    }

    @Test("a server that accepts and says nothing is given up")
    func silentServer() async throws {
        let harness = try await Harness(.local)
        let client = Recorder()
        var limits = ConnectionLimits()
        limits.handshake = .milliseconds(50)
        let context = try makeContext()
        try await harness.connect(
            client, limits: limits, transport: .tls(context, pins: [context.keyHash]))
        #expect(await client.waitForEnd() == .some(.timedOut))
    }

    @Test("a peer that falls silent is given up, one that speaks is not", arguments: Way.allCases)
    func idle(way: Way) async throws {
        var limits = ConnectionLimits()
        limits.idle = .milliseconds(200)
        let silent = Recorder()
        let lively = Recorder()
        let harness = try await Harness(way, accept: { _ in Recorder(.echo) })
        try await harness.connect(silent, limits: limits)
        let ticking = Mutex<LoopTimer?>(nil)
        let connection = try await harness.connect(lively, limits: limits) { connection in
            // The echoed bytes are the sign of life.
            let timer = connection.loop.schedule(every: .milliseconds(20)) { connection.send([1]) }
            ticking.withLock { $0 = timer }
        }
        _ = await lively.waitForBytes(1)
        #expect(await silent.waitForEnd() == .some(.idle))
        #expect(try await harness.loop.perform { connection.isOpen })
        try await harness.loop.perform { ticking.withLock { $0?.cancel() } }
        #expect(await lively.waitForEnd() == .some(.idle))
    }

    /// The reasons why a connection closes within 50 milliseconds.
    enum Closing: CaseIterable {
        case byLimit, sooner, soonerWhileClosing
    }

    @Test(
        "a peer that doesn't take the rest can't keep a closing connection, also one that is to close sooner",
        arguments: Way.allCases, Closing.allCases)
    func closing(way: Way, closing: Closing) async throws {
        let harness = try await Harness(way, server: Recorder(.pause, quiet: true))
        let client = Recorder()
        var limits = ConnectionLimits()
        limits.closing = closing == .byLimit ? .milliseconds(50) : .seconds(3_600)
        let connection = try await harness.connect(client, limits: limits)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            connection.send([UInt8](repeating: 1, count: 8 << 20))
            if closing != .sooner { connection.close() }
            if closing != .byLimit { connection.close(within: .milliseconds(50)) }
        }
        #expect(await client.waitForEnd() == .some(.timedOut))
    }
}
