/// The days of a year, or of another range, by how much was done on each: a column for each week, from Monday at the
/// top to Sunday.
package struct Heatmap: Hashable, Sendable {
    /// A day's field.
    package struct Cell: Hashable, Sendable {
        /// The day that the field stands for.
        package let day: Day
        /// What was done on that day, which may be nothing.
        package let total: FocusTotal
        /// 0 without focus time, else 1…4: which quarter of the most focus time of any day here the day's is in.
        package let level: Int
    }

    /// A week of ISO 8601.
    package struct Week: Hashable, Sendable {
        /// All seven, from Monday to Sunday, whatever the range.
        package let days: ClosedRange<Day>
        /// Seven, from Monday; nil for a day outside the range.
        package let cells: [Cell?]
    }

    /// The greatest level that a cell can have.
    package static let topLevel = 4

    /// The weeks that have a day of the range, in order.
    package let weeks: [Week]
    /// The most focus time of any day here.
    package let most: Duration

    /// The days of `range`. Cost: linear in them.
    package init(_ statistics: Statistics, in range: ClosedRange<Day>) {
        let found = statistics.days(in: range)
        let totals = Dictionary(uniqueKeysWithValues: found.map { ($0.day, $0.total) })
        let most = found.map { $0.total.focus }.max() ?? .zero
        self.most = most
        weeks = statistics.bars(by: .week, in: range).map { bar in
            let days = CalendarUnit.week.days(around: bar.days.lowerBound)
            let cells = days.map { day -> Cell? in
                guard range.contains(day) else { return nil }
                let total = totals[day] ?? FocusTotal()
                let level = Heatmap.level(of: total.focus, most)
                return Cell(day: day, total: total, level: level)
            }
            return Week(days: days, cells: cells)
        }
    }

    /// 0 for nothing, and so on in equal steps up to `topLevel` for the most.
    private static func level(of focus: Duration, _ most: Duration) -> Int {
        guard focus > .zero else { return 0 }
        return Int(1 + (focus.inMilliseconds * Int64(topLevel) - 1) / most.inMilliseconds)
    }

    /// The year up to a day: so many whole weeks, the last up to `day` alone.
    package static func range(weeks: Int, upTo day: Day) -> ClosedRange<Day> {
        CalendarUnit.week.days(around: day).lowerBound.advanced(by: -7 * (max(1, weeks) - 1))...day
    }

    /// How many weeks a year's heatmap has, so that it goes back to the same date of the year before.
    package static let weeksOfYear = 53
}
