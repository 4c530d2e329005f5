import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("Which news of other servers were read")
struct NewsProgressTests {
    private func at(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    @Test("each row is news once, in any order and after any number of reads")
    func once() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var seen = NewsProgress([NewsProgress.Mark(server: 7, number: 3)], at: at(0))
            let rows = (1...20 as ClosedRange<Int64>).flatMap { [$0, $0] }.shuffled(using: &random)
            let taken = rows.filter { seen.take($0, of: 7, at: at(0)) }
            #expect(taken.sorted() == Array(4...20))
            #expect(seen.marks == [NewsProgress.Mark(server: 7, number: 20)])
            expect(seen.finish(at: at(1)), is: false)
        }
    }

    /// A connection for news that the test scripts. It fails on request.
    private final class TestConnection: NewsConnection {
        struct Broken: Error {}

        let server: Int64 = 1
        var descriptor: Int32? { 0 }
        /// The numbers of another server's news.
        var numbers: [Int64] = []
        var isKnown = true
        /// Whether the next `marks` fails, and whether the answer to the next `addAgain` is lost.
        var failsMarks = false
        var losesAnswer = false

        func connect() throws -> Bool { false }
        func takeNotices() -> [String] { [] }
        func marks() throws -> [NewsProgress.Mark] {
            if exchange(&failsMarks, with: false) { throw Broken() }
            return [NewsProgress.Mark(server: 2, number: numbers.last ?? 0)]
        }
        func read(
            beyond seen: [NewsProgress.Mark],
            _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
        ) throws -> Bool {
            let last = seen.first { $0.server == 2 }?.number ?? 0
            for number in numbers where number > last { body(2, number, StoreNews(logs: [number]), .zero) }
            return true
        }
        func beat() throws -> Bool { isKnown }
        func addAgain() throws {
            isKnown = true
            if exchange(&losesAnswer, with: false) { throw Broken() }
        }
        func count() throws -> (running: Int, gone: Int) { (2, 0) }
        func deleteOld() throws {}
        func end() {}
    }

    @Test("a reader reads everything again the next time if it had to and couldn't")
    func anew() throws {
        let connection = TestConnection()
        let reader = try NewsReader(connection, now: at(0))
        connection.numbers = [1]
        // The reader was away for long enough to have missed news.
        connection.failsMarks = true
        #expect(throws: TestConnection.Broken.self) { _ = try reader.read(at: at(400)) }
        #expect(try reader.read(at: at(401)).news == StoreNews(isAll: true))
        #expect(try reader.read(at: at(402)).news.isEmpty)
        connection.numbers = [1, 2]
        #expect(try reader.read(at: at(403)).news == StoreNews(logs: [2]))
    }

    @Test("a reader reports that it was taken for gone, even if the answer to its return was lost")
    func gone() throws {
        let connection = TestConnection()
        let reader = try NewsReader(connection, now: at(0))
        connection.isKnown = false
        connection.losesAnswer = true
        #expect(throws: TestConnection.Broken.self) { _ = try reader.beat() }
        #expect(try reader.beat() == NewsReader.Beat(wasGone: true))
        #expect(try reader.beat() == NewsReader.Beat())
    }
}
