import TestSupport
import Testing

@testable import FocusSync

/// A queue from which elements are removed at the front.
@Suite struct FifoTests {
    @Test("it gives what was put in, in that order, whatever comes between") func order() {
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
            }
        }
    }

    @Test("to take all of many moves each once at most, whether they came at once or in between")
    func moves() {
        let count = 200_000
        var drained = Fifo<Int>()
        for number in 0..<count { drained.append(number) }
        while drained.popFirst() != nil {}
        #expect(drained.moved <= count)

        // One element is removed for each that is appended: the queue's storage grows to its longest.
        var steady = Fifo<Int>()
        for number in 0..<1_000 { steady.append(number) }
        for number in 0..<count {
            steady.append(number)
            _ = steady.popFirst()
        }
        #expect(steady.count == 1_000 && steady.moved <= 2 * count)
    }
}
