import TestSupport
import Testing

@testable import FocusSync

@Suite struct QueuesTests {
    @Test("a queue gives what was put in, in that order, and has at most twice the room that it needs")
    func fifo() {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            var fifo = Fifo<Int>()
            var plain: [Int] = []
            for number in 0..<500 {
                if Bool.random(using: &random) {
                    fifo.append(number)
                    plain.append(number)
                } else {
                    #expect(fifo.first == plain.first, "seed \(seed)")
                    let taken = fifo.popFirst()
                    #expect(taken == (plain.isEmpty ? nil : plain.removeFirst()), "seed \(seed)")
                }
                #expect(fifo.count == plain.count && fifo.isEmpty == plain.isEmpty, "seed \(seed)")
                #expect(fifo.elements.count <= 2 * fifo.count, "seed \(seed)")
            }
        }
    }

    @Test("keys are there in the order in which they came, whatever is taken out between")
    func orderedKeys() {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            var keys = OrderedKeys<Int>()
            var plain: [Int] = []
            for _ in 0..<1_000 {
                let key = Int.random(in: 0..<60, using: &random)
                if Bool.random(using: &random) {
                    keys.append(key)
                    if !plain.contains(key) { plain.append(key) }
                } else {
                    keys.remove(key)
                    plain.removeAll { $0 == key }
                }
                #expect(keys.first == plain.first && keys.last == plain.last, "seed \(seed)")
                #expect(keys.count == plain.count && keys.isEmpty == plain.isEmpty, "seed \(seed)")
                #expect(keys.contains(key) == plain.contains(key), "seed \(seed)")
            }
            #expect(keys.all == plain && keys.prefix(7) == Array(plain.prefix(7)), "seed \(seed)")
            for key in plain { keys.remove(key) }
            #expect(keys.slots.isEmpty, "seed \(seed)")
        }
    }

    @Test("keys that are taken out in the middle give their room back")
    func room() {
        var keys = OrderedKeys<Int>()
        for key in 0..<4_000 { keys.append(key) }
        for key in 1..<3_999 { keys.remove(key) }
        #expect(keys.all == [0, 3_999] && keys.slots.count <= 12)
    }
}
