import FocusCore
import TestSupport
import Testing

@Suite("Charts of the statistics")
struct ChartTests {
    @Test("there is a bar for each day, the empty ones too")
    func days() throws {
        var history = FactHistory()
        history.add(.november(19), 0, 25)
        history.add(.november(21), 0, 50)
        let bars = try history.statistics().bars(by: .day, in: Day.november(18)...Day.november(21))
        #expect(bars.map(\.name) == ["2025-11-18", "2025-11-19", "2025-11-20", "2025-11-21"])
        #expect(bars.map(\.total.focus) == [0, minutes(25), 0, minutes(50)])
        #expect(bars.map(\.total.completed) == [0, 1, 0, 1])
    }

    @Test("bars of weeks, months and years hold no day outside the range")
    func units() throws {
        var history = FactHistory()
        for day in 1...40 as ClosedRange<Int64> { history.add(.november(day), 0, 1) }
        let statistics = try history.statistics()
        let range = Day.november(5)...Day.november(35)
        let weeks = statistics.bars(by: .week, in: range)
        #expect(weeks.map(\.name) == ["2025-W45", "2025-W46", "2025-W47", "2025-W48", "2025-W49"])
        #expect(weeks.map(\.total.completed) == [5, 7, 7, 7, 5])
        let months = statistics.bars(by: .month, in: range)
        #expect(months.map(\.name) == ["2025-11", "2025-12"])
        #expect(months.map(\.total.completed) == [26, 5])
        #expect(statistics.bars(by: .year, in: range).map(\.total.completed) == [31])
    }

    @Test("a heatmap has a column for each week, and fields for the days of its range alone")
    func heatmap() throws {
        var history = FactHistory()
        for (day, length) in [(19, 1), (20, 25), (21, 26), (22, 75), (23, 76), (24, 100)] as [(Int64, Int64)]
        {
            history.add(.november(day), 0, length)
        }
        history.add(.november(30), 0, 1000)
        let map = Heatmap(try history.statistics(), in: Day.november(18)...Day.november(25))
        #expect(map.most == minutes(100))
        #expect(map.weeks.map(\.days.lowerBound) == [.november(17), .november(24)])
        #expect(
            map.weeks.map { $0.cells.map { $0?.level } } == [
                [nil, 0, 1, 1, 2, 3, 4], [4, 0, nil, nil, nil, nil, nil],
            ])
        #expect(map.weeks[0].cells[1]?.day == .november(18))
    }

    @Test("an empty year's heatmap has 53 weeks and nothing in them")
    func emptyYear() throws {
        let range = Heatmap.range(weeks: Heatmap.weeksOfYear, upTo: .november(20))
        #expect("\(range.lowerBound) \(range.upperBound)" == "2024-11-18 2025-11-20")
        let map = Heatmap(try FactHistory().statistics(), in: range)
        #expect(map.weeks.count == 53)
        #expect(map.weeks.flatMap(\.cells).compactMap { $0?.level }.allSatisfy { $0 == 0 })
        #expect(map.most == 0)
    }
}
