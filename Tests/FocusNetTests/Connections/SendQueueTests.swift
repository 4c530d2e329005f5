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
}
