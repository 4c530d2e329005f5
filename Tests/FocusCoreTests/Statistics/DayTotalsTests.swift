import FocusCore
import TestSupport
import Testing

@Suite("What was done on single days")
struct DayTotalsTests {
    private func history(of events: [Event]) throws -> History {
        var timeline = Timeline()
        try timeline.merge(events)
        return History(timeline.journal, timeline.state, at: events.map(\.time).max() ?? 0)
    }

    @Test(
        "is what the statistics of the whole history say of them, whatever ran at once",
        arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let history = try history(of: RandomLog(seed: seed, count: 300).events)
        let days = Set(
            history.records.flatMap { [$0.startedAt, $0.endedAt] }.map { LocalCalendar.berlin.day(of: $0) })
        let totals = DayTotals(history, .berlin)
        let statistics = Statistics(history.records, .berlin)
        for day in days.flatMap({ [$0.advanced(by: -1), $0, $0.advanced(by: 1)] }) {
            #expect(totals.total(on: day) == statistics.total(in: day...day), "seed \(seed), \(day)")
        }
    }

    @Test("a phase that was long before midnight, and one that covers others, count as in the statistics")
    func overMidnight() throws {
        var facts = FactHistory()
        facts.add(.november(19), 23 * 60, 25)
        facts.add(.november(19), 23 * 60 + 10, 60)
        facts.add(.november(19), 23 * 60 + 50, 40)
        facts.add(.november(20), 5, 20)
        facts.add(.november(20), 9 * 60, 600)
        facts.add(.november(20), 10 * 60, 25)
        facts.add(.november(21), 60, 25)
        let statistics = try facts.statistics()
        let totals = DayTotals(try facts.history(), .fixed())
        for day in Day.november(18)...Day.november(22) {
            #expect(totals.total(on: day) == statistics.total(in: day...day))
        }
    }

    @Test("three phases at once over midnight count each moment once, on the day that it is of")
    func threeOverMidnight() throws {
        var facts = FactHistory()
        facts.add(.november(19), 23 * 60, 120)
        facts.add(.november(19), 23 * 60 + 30, 45)
        facts.add(.november(19), 23 * 60 + 40, 90)
        let totals = DayTotals(try facts.history(), .fixed())
        #expect(totals.total(on: .november(19)) == FocusTotal(focus: minutes(60), completed: 2))
        #expect(totals.total(on: .november(20)) == FocusTotal(focus: minutes(70), completed: 0))
    }

    @Test("takes no more records than the day has, however long the history")
    func places() throws {
        var facts = FactHistory()
        for day in Day.november(1)...Day.november(400) {
            for phase in 0..<8 as Range<Int64> { facts.add(day, 540 + phase * 30, 25) }
        }
        let totals = DayTotals(try facts.history(), .fixed())
        for day in Day.november(1)...Day.november(400) { #expect(totals.places(around: day).count == 8) }
        #expect(totals.places(around: .november(0)).isEmpty)
        #expect(totals.places(around: .november(401)).isEmpty)
    }
}
