import FocusCore
import TestSupport
import Testing

@testable import FocusServerStore

@Suite("Which news of other servers were read")
struct NewsProgressTests {
    private func at(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    /// Returns the numbers that count as news among these rows of one server, read in this order.
    private func taken(_ numbers: [Int64], by seen: inout NewsProgress, of server: Int64 = 7) -> [Int64] {
        numbers.filter { seen.take($0, of: server, at: at(0)) }
    }

    private func mark(_ server: Int64, _ number: Int64) -> NewsProgress.Mark {
        NewsProgress.Mark(server: server, number: number)
    }

    @Test("each row is news once, in any order and after any number of reads")
    func once() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var seen = NewsProgress([mark(7, 3)], at: at(0))
            let rows = (1...20 as ClosedRange<Int64>).flatMap { [$0, $0] }.shuffled(using: &random)
            let taken = taken(rows, by: &seen)
            #expect(taken.sorted() == Array(4...20))
            #expect(seen.marks == [mark(7, 20)])
            let after1 = seen.finish(at: at(1))
            #expect(!after1)
        }
    }

    @Test("each server numbers its own news, from 1")
    func servers() {
        var seen = NewsProgress([mark(7, 3)], at: at(0))
        let taken2 = taken([4], by: &seen)
        #expect(taken2 == [4])
        let taken3 = taken([1, 2], by: &seen, of: 8)
        #expect(taken3 == [1, 2])
        #expect(seen.marks == [mark(7, 4), mark(8, 2)])
    }

    @Test("a server's first news is waited for if its second is there before")
    func late() {
        var seen = NewsProgress(at: at(0))
        let taken1 = taken([2], by: &seen, of: 8)
        #expect(taken1 == [2])
        #expect(seen.marks == [mark(8, 0)])
        let after1 = seen.finish(at: at(1))
        #expect(!after1)
        let taken2 = taken([1, 2], by: &seen, of: 8)
        #expect(taken2 == [1])
        #expect(seen.marks == [mark(8, 2)])
        let after61 = seen.finish(at: at(61))
        #expect(!after61)
    }

    @Test("rows after a gap are news at once, and are read again until the gap is filled")
    func gap() {
        var seen = NewsProgress([mark(7, 3)], at: at(0))
        let taken4 = taken([6, 5], by: &seen)
        #expect(taken4 == [6, 5])
        #expect(seen.marks == [mark(7, 3)])
        let after59 = seen.finish(at: at(59))
        #expect(!after59)
        let taken6 = taken([4, 5, 6], by: &seen)
        #expect(taken6 == [4])
        #expect(seen.marks == [mark(7, 6)])
        let after120 = seen.finish(at: at(120))
        #expect(!after120)
    }

    @Test("a gap that isn't filled makes the reader read everything again, once")
    func lost() {
        var seen = NewsProgress([mark(7, 3)], at: at(0))
        let taken8 = taken([5], by: &seen)
        #expect(taken8 == [5])
        let after59 = seen.finish(at: at(59))
        #expect(!after59)
        let after60 = seen.finish(at: at(60))
        #expect(after60)
        #expect(seen.marks == [mark(7, 5)])
        let after61 = seen.finish(at: at(61))
        #expect(!after61)
    }

    @Test("a reader that was away for so long that news may be deleted reads everything again, once")
    func away() {
        var seen = NewsProgress(at: at(0))
        let after299 = seen.finish(at: at(299))
        #expect(!after299)
        let after599 = seen.finish(at: at(599))
        #expect(after599)
        let after600 = seen.finish(at: at(600))
        #expect(!after600)
    }
}
