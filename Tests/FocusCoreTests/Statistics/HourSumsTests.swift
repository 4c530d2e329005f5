import FocusCore
import Synchronization
import TestSupport
import Testing

/// The number of lookups in a calendar.
private final class LookupCount: Sendable {
    let count = Mutex(0)
}

@Suite("Focus time by the hour of the day")
struct HourSumsTests {
    private func hours(_ statistics: Statistics) -> [Int: Duration] {
        Dictionary(
            uniqueKeysWithValues: statistics.hours.enumerated().filter { $0.element > 0 }
                .map { ($0.offset, $0.element) })
    }

    @Test("a phase is split where the hours change, and work at once counts once")
    func split() throws {
        var history = FactHistory()
        history.add(.november(20), 8 * 60 + 50, 80, "a")
        history.add(.november(20), 9 * 60 + 10, 30, "b")
        history.add(.november(20), 23 * 60 + 45, 30)
        history.add(.november(21), 9 * 60, 5, activity: "longBreak")
        let expected: [Int: Duration] = [
            8: minutes(10), 9: minutes(60), 10: minutes(10), 23: minutes(15), 0: minutes(15),
        ]
        #expect(hours(try history.statistics()) == expected)
        let day = Day.november(20)...Day.november(20)
        #expect(hours(try history.statistics(in: day))[0] == nil)
        #expect(hours(try history.statistics(label: "b")) == [9: minutes(30)])
        #expect(try FactHistory().statistics().hours == Array(repeating: 0, count: 24))
    }

    @Test("an hour that the clocks show twice has both, and one that they leave out has none")
    func clocks() throws {
        let autumn = try #require(Day(year: 2025, month: 10, day: 26))
        let spring = try #require(Day(year: 2025, month: 3, day: 30))
        for (day, length, two) in [(autumn, 25, 2), (spring, 23, 0)] as [(Day, Int64, Int64)] {
            var history = FactHistory(.berlin)
            history.add(day, 0, 12 * 60)
            history.add(day, 12 * 60, (length - 12) * 60)
            var expected = [Duration](repeating: minutes(60), count: 24)
            expected[2] = minutes(60 * two)
            #expect(try history.statistics().hours == expected)
        }
    }

    @Test("offsets of parts of an hour count", arguments: [-210, 330, 345])
    func offsets(offset: Int64) throws {
        var history = FactHistory(.fixed(offset: minutes(offset)))
        history.add(.november(20), 14 * 60, 60)
        #expect(hours(try history.statistics()) == [14: minutes(60)])
    }

    @Test("the sums equal those of a plain implementation", arguments: 0..<40 as Range<UInt64>)
    func againstNaive(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 120).events
        let end = (events.map(\.time).max() ?? 0) + minutes(3000)
        let (state, journal) = try EventLog(events).replayed()
        let statistics = Statistics(History(journal, state, at: end).records, .berlin)
        let naive = NaiveDays(try #require(NaiveTimer.state(of: events, at: end)).history, .berlin)
        #expect(statistics.hours == naive.hours, "seed \(seed)")
        #expect(statistics.hours.reduce(0, +) == statistics.days.reduce(0) { $0 + $1.total.focus })
    }

    @Test("a long history asks the clocks only a few times a day")
    func cost() throws {
        let lookups = LookupCount()
        let calendar = LocalCalendar(
            offset: { _ in
                lookups.count.withLock { $0 += 1 }
                return .zero
            }, start: { .midnight(of: $0) })
        var history = FactHistory()
        for day in 1...100 as ClosedRange<Int64> {
            for number in 0..<20 as Range<Int64> { history.add(.november(day), number * 60, 25) }
        }
        let statistics = Statistics(try history.records(), calendar)
        #expect(statistics.hours.reduce(0, +) == minutes(100 * 20 * 25))
        #expect(lookups.count.withLock { $0 } <= 250)
    }
}
