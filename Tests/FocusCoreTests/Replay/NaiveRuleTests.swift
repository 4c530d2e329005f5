import TestSupport
import Testing

@Suite("Branches of the timer rules that random logs lead to") struct NaiveRuleTests {
    @Test("random logs lead to every branch of §4") func branches() {
        var reached: Set<NaiveRule> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            reached.formUnion(NaiveTimer.rules(of: RandomLog(seed: seed, count: 100).events))
        }
        let kinds = ["start:", "press:", "adopt:", "set:", "record:"]
        let wanted = NaiveRule.allCases.filter { rule in kinds.contains { rule.rawValue.hasPrefix($0) } }
        #expect(wanted.count >= 28)
        #expect(wanted.filter { !reached.contains($0) }.map(\.rawValue) == [])
    }
}
