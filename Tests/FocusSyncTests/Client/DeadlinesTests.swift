import FocusCore
import TestSupport
import Testing

@testable import FocusSync

@Suite("Deadlines by key")
struct DeadlinesTests {
    @Test("the earliest is always known, and those that are due", arguments: UInt64(1)...20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var deadlines = Deadlines<Int>()
        var plain: [Int: SteadyInstant] = [:]
        for step in 0..<500 {
            let key = Int.random(in: 0..<40, using: &random)
            let isSet = Int.random(in: 0..<3, using: &random) > 0
            let instant: SteadyInstant? =
                isSet ? .after(.seconds(Int.random(in: 0..<30, using: &random))) : nil
            deadlines[key] = instant
            plain[key] = instant
            #expect(deadlines.earliest == plain.values.min(), "seed \(seed), step \(step)")
            #expect(deadlines[key] == instant, "seed \(seed), step \(step)")
            let now = SteadyInstant.after(.seconds(Int.random(in: 0..<30, using: &random)))
            let due = plain.filter { $0.value <= now }.keys
            #expect(deadlines.due(at: now).sorted() == due.sorted(), "seed \(seed), step \(step)")
        }
    }
}
