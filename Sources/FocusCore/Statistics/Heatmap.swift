/// The days of a year or of another range, by the work on each. A week is a column, from Monday at the top to
/// Sunday.
package struct Heatmap: Hashable, Sendable {
    /// The cell of a day.
    package struct Cell: Hashable, Sendable {
        /// The day of the cell.
        package let day: Day
        /// The work on that day, which may be none.
        package let total: FocusTotal
        /// The day's focus time in quarters of the greatest focus time of any day here, rounded up: 0…4.
        package let level: Int
    }

    /// A week of ISO 8601.
    package struct Week: Hashable, Sendable {
        /// All seven days, from Monday to Sunday, including days outside the range.
        package let days: ClosedRange<Day>
        /// Seven cells, from Monday. A cell is nil for a day outside the range.
        package let cells: [Cell?]
    }

    /// The greatest level that a cell can have.
    package static let topLevel = 4

    /// The weeks that contain a day of the range, in order.
    package let weeks: [Week]
    /// The greatest focus time of any day here.
    package let most: Duration

    /// Creates the heatmap of `range`. Cost: linear in its days.
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

    /// Returns 0 for no focus time, otherwise 1…`topLevel` in equal steps of the greatest focus time.
    private static func level(of focus: Duration, _ most: Duration) -> Int {
        guard focus > .zero else { return 0 }
        return Int(1 + (focus.inMilliseconds * Int64(topLevel) - 1) / most.inMilliseconds)
    }

    /// Returns a range of `weeks` weeks up to `day`. The last week ends with `day`.
    package static func range(weeks: Int, upTo day: Day) -> ClosedRange<Day> {
        CalendarUnit.week.days(around: day).lowerBound.advanced(by: -7 * (max(1, weeks) - 1))...day
    }

    /// The number of weeks in a year's heatmap, which reaches back to the same date of the year before.
    package static let weeksOfYear = 53
}
