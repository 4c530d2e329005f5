import Synchronization
import TestTraits
import Testing

@testable import FocusNet

/// The numbers of the clients that finished a turn, in order.
private final class Order: Sendable {
    private let numbers = Mutex<[Int]>([])

    func append(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
}

/// A client of a loop that records the end of its turn.
private final class Finisher: TurnEndObserver, Sendable {
    private let number: Int
    private let order: Order

    init(_ number: Int, _ order: Order) { (self.number, self.order) = (number, order) }

    func finishTurn() { order.append(number) }
    func goOnShakingHands() {}
}

@Suite("The order in which connections finish a turn", .ends(within: .seconds(600)))
final class TurnOrderTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit {
        loop.stop()
        loop.wait()
    }

    @Test("who is told of something is written to before who brought it and was answered first")
    func lastFirst() async throws {
        let order = Order()
        let clients = (1...3).map { Finisher($0, order) }
        try await loop.perform { [loop] in
            for client in clients { loop.touch(client) }
        }
        try await loop.perform {}
        #expect(order.all == [3, 2, 1])
    }
}
