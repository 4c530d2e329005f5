import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing

@Suite struct ConnectionCountsTests {
    @Test("the device with the most connections is known at once after any change") func most() throws {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            let keys = try (0..<12).map { try digest(number: $0) }
            var crowd = ConnectionCounts()
            var plain: [Digest: Int] = [:]
            for _ in 0..<400 {
                guard let key = keys.randomElement(using: &random) else { continue }
                if Int.random(in: 0..<5, using: &random) < 3 {
                    crowd.add(key)
                    plain[key, default: 0] += 1
                } else {
                    crowd.remove(key)
                    plain[key] = plain[key].flatMap { $0 > 1 ? $0 - 1 : nil }
                }
                #expect(crowd.count == plain.values.reduce(0, +), "seed \(seed)")
                for newcomer in keys {
                    let own = plain[newcomer] ?? 0
                    let most = max(own + 1, plain.values.max() ?? 0)
                    let found = crowd.greediest(with: newcomer)
                    if most == 1 {
                        #expect(found == nil, "seed \(seed)")
                    } else {
                        let found = try #require(found, "seed \(seed)")
                        let count = (plain[found] ?? 0) + (found == newcomer ? 1 : 0)
                        #expect(count == most, "seed \(seed)")
                    }
                }
            }
        }
    }
}
