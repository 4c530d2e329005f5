import FocusCore
import TestSupport
import Testing

@Suite("Average days")
struct AverageTests {
    private let weekend = DaysOff(bits: 96)

    private func days(_ first: Int64, _ last: Int64) -> ClosedRange<Day> {
        .november(first) ... .november(last)
    }

    @Test("days without focus time and days off don't count")
    func counted() throws {
        var history = FactHistory()
        history.add(.november(13), 0, 30)
        history.add(.november(14), 0, 60)
        history.add(.november(14), 90, 15, outcome: "stopped")
        history.add(.november(15), 0, 300)
        let statistics = try history.statistics()
        let without = try #require(DailyAverage(statistics, in: days(10, 16), without: weekend))
        #expect(without.days == 2 && without.completedTenths == 10)
        #expect(without.focus == .seconds(105 * 30))
        let with = try #require(DailyAverage(statistics, in: days(10, 16), without: DaysOff(bits: 0)))
        #expect(with.days == 3 && with.focus == minutes(135))
        #expect(DailyAverage(statistics, in: days(15, 16), without: weekend) == nil)
        #expect(DailyAverage(try FactHistory().statistics(), in: days(1, 30), without: weekend) == nil)
    }

    @Test("the number of phases is rounded to the nearest tenth", arguments: [(1, 3), (2, 7), (5, 17)])
    func rounding(extra: Int, tenths: Int) throws {
        var history = FactHistory()
        for day in 10...12 as ClosedRange<Int64> { history.add(.november(day), 0, 1, outcome: "stopped") }
        for number in 0..<Int64(extra) { history.add(.november(12), 10 + number, 1) }
        let average = DailyAverage(try history.statistics(), in: days(10, 12), without: weekend)
        #expect(average?.completedTenths == tenths)
    }

    @Test("up to seven days are compared with the same days a week before, more with as many days before")
    func before() throws {
        #expect(days(17, 20).daysBefore == days(10, 13))
        #expect(days(17, 23).daysBefore == days(10, 16))
        #expect(days(20, 20).daysBefore == days(13, 13))
        #expect(days(10, 17).daysBefore == days(2, 9))
        #expect(days(1, 30).daysBefore == days(-29, 0))
        #expect((Day(number: 3)...Day(number: 5)).daysBefore == nil)
        var history = FactHistory()
        history.add(.november(12), 0, 20)
        history.add(.november(14), 0, 20)
        history.add(.november(17), 0, 40)
        let comparison = AverageComparison(try history.statistics(), in: days(17, 20), without: weekend)
        #expect(comparison.average?.focus == minutes(40))
        #expect(comparison.before?.total == FocusTotal(focus: minutes(20), completed: 1))
        #expect(comparison.before?.average?.days == 1)
    }
}
