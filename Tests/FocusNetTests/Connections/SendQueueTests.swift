import Testing

@testable import FocusNet

@Suite("The queue of what is unsent")
struct SendQueueTests {
    @Test("bytes leave in the order they came, whatever the sizes of what is put in and taken out")
    func order() {
        var queue = SendQueue()
        var expected: [UInt8] = []
        var taken: [UInt8] = []
        for round in 0..<400 {
            let more = pattern((round * 37) % 5_000)
            expected += more
            if round % 3 == 0 { queue.append(more.span.bytes) } else { queue.append(more) }
            queue.withFirst((round * 53) % 6_000) { taken += $0 }
            queue.drop(taken.count + queue.count - expected.count)
            #expect(queue.count == expected.count - taken.count)
        }
        queue.withFirst(.max) { taken += $0 }
        #expect(taken == expected)
    }

    @Test("forgetting everything leaves nothing")
    func forgetting() {
        var queue = SendQueue()
        queue.append(pattern(10_000))
        queue.drop(100)
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.count == 0)
    }

    @Test("large pieces that nobody takes have the memory that they need, and no more")
    func memory() {
        var queue = SendQueue()
        queue.append(pattern(256 << 10))
        queue.drop(64 << 10)
        for _ in 1...4 { queue.append(pattern(128 << 10)) }
        #expect(queue.count == 704 << 10)
        #expect(queue.capacity <= 720 << 10)
        // A piece with spare capacity is copied without it, once the peer is seen to receive nothing.
        var roomy = SendQueue()
        var piece = pattern(200 << 10)
        piece.reserveCapacity(600 << 10)
        roomy.append(piece)
        piece = []
        roomy.drop(64 << 10)
        roomy.giveBack()
        #expect(roomy.count == 136 << 10 && roomy.capacity <= 150 << 10)
    }

    @Test("once all is taken, no memory is held", arguments: [1, 162, 5_000]) func idle(count: Int) {
        var queue = SendQueue()
        queue.append(pattern(count))
        queue.append(pattern(count).span.bytes)
        queue.drop(2 * count)
        #expect(queue.capacity == 0)
    }
}
