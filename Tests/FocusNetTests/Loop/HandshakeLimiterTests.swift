import TestTraits
import Testing

@testable import FocusNet

@Suite struct HandshakeLimiterTests {
    @Test("a turn takes on four handshakes, the others wait for later ones, whoever came first the first")
    func turns() {
        var turns = HandshakeLimiter<Int>()
        let first = (1...10).filter { turns.mayTakeOn($0) }
        #expect(first == [1, 2, 3, 4])
        #expect(takeOn(&turns) == [5, 6, 7, 8])
        #expect(takeOn(&turns) == [9, 10])
        #expect(turns.isEmpty)
    }

    @Test("who comes in a turn waits behind those who waited before")
    func newcomers() {
        var turns = HandshakeLimiter<Int>()
        for client in 1...8 { _ = turns.mayTakeOn(client) }
        #expect(takeOn(&turns) == [5, 6, 7, 8])
        let isTakenOn = turns.mayTakeOn(9)
        #expect(!isTakenOn)
        #expect(takeOn(&turns) == [9])
    }

    @Test("who answers comes before who begins, and whoever answered first the first") func answers() {
        var turns = HandshakeLimiter<Int>()
        for client in 1...7 { _ = turns.mayTakeOn(client) }
        let answering = (1...2).filter { turns.mayTakeOn($0, answers: true) }
        #expect(answering.isEmpty)
        #expect(takeOn(&turns) == [1, 2, 5, 6])
        _ = turns.mayTakeOn(5, answers: true)
        #expect(takeOn(&turns) == [5, 7])
        #expect(turns.isEmpty)
    }

    @Test(
        "of many clients that come at once few are in the middle of their handshakes at a time",
        .ends(within: .seconds(60)))
    func fewAreBegun() async throws {
        let crowd = Crowd()
        let harness = try await Harness(.tls, accept: { crowd.take($0) })
        let clients = (0..<60).map { _ in Recorder() }
        let (endpoint, loop) = (harness.endpoint, harness.loop)
        let transport = Connection.Transport.tls(harness.clientContext, pins: [harness.serverContext.keyHash])
        try await loop.perform {
            for client in clients {
                _ = Connection.connect(to: endpoint, over: transport, on: loop, handler: client)
            }
        }
        // Each call is another turn of the loop.
        while try await loop.perform({ crowd.opened }) < clients.count {}
        // Without turns, all handshakes would be under way.
        let most = try await loop.perform { crowd.mostBegun }
        #expect((1...16).contains(most))
    }

    /// Begins another turn, and returns the handshakes that may begin in it.
    private func takeOn(_ turns: inout HandshakeLimiter<Int>) -> [Int] {
        turns.next().filter { turns.mayTakeOn($0) }
    }
}

/// A server's connections, with counts of their progress.
private final class Crowd: ConnectionHandler, @unchecked Sendable {
    // Unchecked: it is used only on the server's loop.

    private var connections: [Connection] = []
    private(set) var opened = 0
    /// The greatest number of handshakes that were under way at the same time.
    private(set) var mostBegun = 0

    func take(_ connection: Connection) -> any ConnectionHandler {
        connections.append(connection)
        return self
    }

    func opened(_ connection: Connection, peer: KeyHash?) {
        opened += 1
        let begun = connections.filter { $0.phase == .handshaking && $0.handshake.session != nil }
        mostBegun = max(mostBegun, begun.count)
    }

    func received(_ bytes: RawSpan, on connection: Connection) {}

    func writable(_ connection: Connection) {}

    func closed(_ connection: Connection, error: NetError?) {}
}
