import FocusCore
import FocusFront
import TestSupport
import Testing

@Suite("Recent labels")
struct RecentLabelsTests {
    /// A history of entries with these labels, the last one the most recent.
    private func history(_ labels: [String]) throws -> History {
        let first: SharedInstant = 1_763_000_000_000
        var log = LogScript()
        for (number, label) in labels.enumerated() {
            let from = first + minutes(30 * Int64(number))
            let end = from + minutes(25)
            log.add(
                .record(
                    .init(
                        activity: "work", startedAt: from, endedAt: end, outcome: "completed", label: label,
                        source: "\(number)")), end)
        }
        let (state, journal) = try EventLog(log.events).replayed()
        return History(journal, state, at: 1_800_000_000_000)
    }

    @Test("are those of the history, each once, the most recent first, and the empty one isn't among them")
    func order() throws {
        let labels = RecentLabels(try history(["Mail", "Read", "", "Mail", "Mail", "Report #deep", "Read"]))
        #expect(labels.all == ["Read", "Report #deep", "Mail"])
        #expect(RecentLabels(try history([])).all.isEmpty)
    }

    @Test("are no more than the limit, and only of the newest entries")
    func limits() throws {
        let many = try history((1...260).map { "Task \($0)" })
        #expect(RecentLabels(many).all == (61...260).reversed().map { "Task \($0)" })
        #expect(RecentLabels(many, among: 3).all == ["Task 260", "Task 259", "Task 258"])
        #expect(RecentLabels(many, limit: .max, among: .max).all.count == 260)
    }

    @Test(
        "match if they contain each typed word, also within a word and in other capitals",
        arguments: [
            ("", ["Report #deep", "Über alles", "Mail to Ann", "Read #deep"]),
            ("  ", ["Report #deep", "Über alles", "Mail to Ann", "Read #deep"]),
            ("RE", ["Report #deep", "Read #deep"]), ("#deep", ["Report #deep", "Read #deep"]),
            ("deep read", ["Read #deep"]), ("über", ["Über alles"]), ("ail ann", ["Mail to Ann"]),
            ("mailto", []), ("Read #deep", []), (" Read #deep\u{3000}", []),
            ("read\u{a0}#deep", ["Read #deep"]), ("ann\tmail", ["Mail to Ann"]),
        ] as [(String, [String])])
    func matching(typed: String, expected: [String]) {
        let labels = RecentLabels(["Report #deep", "Über alles", "Mail to Ann", "Read #deep"])
        #expect(labels.matching(typed, limit: 8) == expected)
        #expect(labels.matching(typed, limit: 1) == Array(expected.prefix(1)))
        #expect(labels.matching(typed, limit: -1).isEmpty)
    }
}
