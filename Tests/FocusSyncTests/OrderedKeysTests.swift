import TestSupport
import Testing

@testable import FocusSync

/// Keys in the order in which they arrived.
@Suite struct OrderedKeysTests {
    @Test("they are there in the order in which they came, whatever is taken out between") func order() {
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
        }
    }

    /// A key that counts how often it is hashed or compared.
    private struct Counted: Hashable {
        final class Counter { var count = 0 }
        let number: Int
        let counter: Counter

        func hash(into hasher: inout Hasher) {
            counter.count += 1
            hasher.combine(number)
        }

        static func == (left: Counted, right: Counted) -> Bool {
            left.counter.count += 1
            return left.number == right.number
        }
    }

    @Test("taking one out costs the same however many there are, wherever it stands") func cost() {
        let counter = Counted.Counter()
        let all = (0..<4_000).map { Counted(number: $0, counter: counter) }
        var random = SeededGenerator(seed: 1)
        for order in [all, all.reversed(), all.shuffled(using: &random)] {
            var keys = OrderedKeys<Counted>()
            for key in all { keys.append(key) }
            counter.count = 0
            for key in order { keys.remove(key) }
            #expect(keys.isEmpty)
            #expect(counter.count < 20 * all.count, "\(counter.count) looks at \(all.count) keys")
        }
    }
}
