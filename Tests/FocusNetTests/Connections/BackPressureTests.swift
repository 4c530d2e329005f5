import TestTraits
import Testing

@testable import FocusNet

@Suite("Back-pressure", .ends(within: .seconds(600)))
struct BackPressureTests {
    @Test("a reader that stops fills the writer, which hears when it may go on", arguments: Way.allCases)
    func stoppedReader(way: Way) async throws {
        let server = Recorder(.pause)
        let harness = try await Harness(way, server: server)
        let client = Recorder()
        let size = 6 << 20
        let connection = try await harness.connect(client)
        _ = await server.waitForOpening()
        let reader = try #require(server.connection)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            connection.send(pattern(size))
            #expect(connection.isFull)
        }
        // The reader pauses itself after each piece. It has one piece, and the writer still has most bytes.
        var received = await nextPiece(server)
        #expect(received > 0)
        let unsent = try await harness.loop.perform { connection.unsentBytes }
        #expect(unsent > connection.limits.fullAbove)
        #expect(try await harness.loop.perform { reader.isReadingPaused })

        while received < size {
            try await harness.loop.perform { reader.resumeReading() }
            let more = await nextPiece(server)
            guard more > 0 else { break }
            received += more
        }
        #expect(await client.wait { $0 == .writable ? true : nil } == true)
        #expect(try await harness.loop.perform { connection.unsentBytes } == 0)
        #expect(received == size)
    }

    /// Returns the length in bytes of the next piece that arrives, or 0 if there is none.
    private func nextPiece(_ recorder: Recorder) async -> Int {
        await recorder.wait { if case .received(let bytes) = $0 { bytes.count } else { nil } } ?? 0
    }

    @Test("pausing and resuming at every piece loses and reorders nothing", arguments: Way.allCases)
    func pausing(way: Way) async throws {
        let server = Recorder(.pause)
        let harness = try await Harness(way, server: server)
        let client = Recorder()
        let sent = pattern(300_000)
        try await harness.connect(client, first: sent)
        _ = await server.waitForOpening()
        let reader = try #require(server.connection)
        var received: [UInt8] = []
        while received.count < sent.count {
            guard let more = await server.wait({ if case .received(let more) = $0 { more } else { nil } })
            else { break }
            received += more
            try await harness.loop.perform { reader.resumeReading() }
        }
        #expect(received == sent)
    }

    @Test("more than may be unsent ends the connection", arguments: Way.allCases)
    func overflow(way: Way) async throws {
        let harness = try await Harness(way)
        let client = Recorder()
        var limits = ConnectionLimits()
        limits.maxUnsent = 100_000
        let connection = try await harness.connect(client, limits: limits)
        _ = await client.waitForOpening()
        try await harness.loop.perform {
            connection.send([UInt8](repeating: 1, count: 60_000))
            connection.send([UInt8](repeating: 1, count: 60_000))
            #expect(!connection.isOpen)
            connection.send([1])
            #expect(connection.unsentBytes == 0)
        }
        #expect(await client.waitForEnd() == .some(.overflow))
    }
}
