import TestSupport
import Testing

@testable import FocusSync

/// A queue that is taken from at its front.
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
}
