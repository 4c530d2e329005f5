/// The average work on a day of a range.
///
/// Days without focus time and days off don't count. Today counts as it is.
package struct DailyAverage: Hashable, Sendable {
    /// The number of days that count: the days with focus time that aren't off.
    package let days: Int
    /// The average focus time, rounded down to milliseconds.
    package let focus: Duration
    /// The average number of completed work phases, in tenths, rounded to the nearest.
    package let completedTenths: Int

    /// Computes the average; nil if no day counts. Cost: linear in the days with work.
    package init?(_ statistics: Statistics, in range: ClosedRange<Day>, without daysOff: DaysOff) {
        var total = FocusTotal()
        var count = 0
        for day in statistics.days(in: range) where day.total.focus > .zero && !daysOff.contains(day.day) {
            total += day.total
            count += 1
        }
        guard count > 0 else { return nil }
        days = count
        focus = .milliseconds(total.focus.inMilliseconds / Int64(count))
        completedTenths = (total.completed * 10 + count / 2) / count
    }
}

/// The average day of a range, and of the days to compare it with.
package struct AverageComparison: Hashable, Sendable {
    /// The average of the range; nil if none of its days counts.
    package let average: DailyAverage?
    /// The days before the range, and their work; nil if they would begin before 1970.
    package let before: Before?

    /// The days to compare a range with.
    package struct Before: Hashable, Sendable {
        /// The days: as many as the range has.
        package let days: ClosedRange<Day>
        /// The work on these days.
        package let total: FocusTotal
        /// The average of these days; nil if none of them counts.
        package let average: DailyAverage?
    }

    /// Compares a range. Cost: linear in the days with work.
    ///
    /// - Parameter statistics: The statistics of the whole history.
    package init(_ statistics: Statistics, in range: ClosedRange<Day>, without daysOff: DaysOff) {
        average = DailyAverage(statistics, in: range, without: daysOff)
        before = range.daysBefore.map { days in
            Before(
                days: days, total: statistics.total(in: days),
                average: DailyAverage(statistics, in: days, without: daysOff))
        }
    }
}

extension ClosedRange<Day> {
    /// The days to compare these days with. Up to seven days are compared with the same days of the week
    /// before, more with as many days before them. It is nil if these would begin before 1970.
    package var daysBefore: ClosedRange<Day>? {
        let step = Int64(Swift.max(7, count))
        let first = Day(number: lowerBound.number - step)
        guard first.number >= 0 else { return nil }
        return first...Day(number: upperBound.number - step)
    }
}
