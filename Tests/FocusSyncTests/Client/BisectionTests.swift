import FocusCore
import Testing

@testable import FocusSync

@Suite("Looking for where two logs part")
struct BisectionTests {
    @Test("the first seq that differs is found, wherever it is, in as many rounds as it takes")
    func everywhere() throws {
        var wrong: [String] = []
        for end in UInt64(1)...60 {
            for parting in 1...end {
                let found = find(parting, of: end)
                if found != parting { wrong.append("\(end):\(parting) found \(found)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) wrong, as \(wrong.prefix(3))")
    }

    /// Returns the seq that the bisection finds if two logs of `end` events part at `parting`; 0 if it finds
    /// none.
    private func find(_ parting: UInt64, of end: UInt64) -> UInt64 {
        func heads(_ seqs: [UInt64], _ isMine: Bool) -> [Head] {
            seqs.map { Head(seq: $0, chain: Chain(high: $0, low: $0 >= parting && isMine ? 1 : 0)) }
        }
        var bisection = Bisection(equal: 0, end: end, theirs: nil)
        // Each round at least halves the remaining range.
        for _ in 0..<64 {
            let asked = bisection.asked
            _ = bisection.take(mine: heads(asked, true))
            switch bisection.take(theirs: heads(asked, false)) {
            case .differs(let head): return head.seq
            case .ask: continue
            default: return 0
            }
        }
        return 0
    }
}
