package import FocusCore
package import FocusFront
package import FocusText

/// The content of the statistics screen.
package struct StatisticsScene: Hashable, Sendable {
    /// Today's total, in the laptop's time zone.
    package let today: FocusTotal
    /// The total of this week up to today.
    package let week: FocusTotal
    /// Today, in the laptop's time zone.
    package let day: Day
    /// The present streak and the longest one; nil if there is no goal.
    package let streak: StreakLength?
    /// The chart to draw.
    package let chart: Chart
    /// The name of the present time zone, in which days are counted.
    package let zone: ZoneName

    /// The sums and averages of the chosen range; nil if the chart isn't of a range.
    package let range: RangeSummary?

    /// The work of a range.
    package struct RangeWork: Sendable {
        /// The days of the range.
        package let days: ClosedRange<Day>
        /// The statistics of these days.
        package let statistics: Statistics

        /// Statistics of these days.
        package init(days: ClosedRange<Day>, statistics: Statistics) {
            self.days = days
            self.statistics = statistics
        }
    }

    /// A range in numbers.
    package struct RangeSummary: Hashable, Sendable {
        /// The range, for people.
        package let title: String
        /// Its work.
        package let total: FocusTotal
        /// Its average day, and that of the days before it.
        package let averages: AverageComparison
    }

    /// The lengths of streaks, in days or weeks.
    package struct StreakLength: Hashable, Sendable {
        /// Whether days or weeks are counted.
        package let unit: CalendarUnit
        /// The streak up to now, which today or this week doesn't break yet; 0 if there is none.
        package let current: Int
        /// The longest streak ever; 0 if the goal was never reached.
        package let longest: Int
    }

    /// The drawing for the selected chart (`StatisticsViewState.Chart`).
    package enum Chart: Hashable, Sendable {
        /// Bars of days or weeks, newest first; of hours, in order; of labels and tags, the most focus time
        /// first.
        case bars([Bar])
        case heatmap(Heatmap)
    }

    /// The bar of a day, a week, an hour, a label or a tag.
    package struct Bar: Hashable, Sendable {
        /// The number of the first day, or the hour; for a label or a tag, its position in the list.
        package let id: Int64
        /// The text beside the bar.
        package let name: String
        /// The total of the day, the week, the hour, the label or the tag.
        package let total: FocusTotal
    }

    /// The smallest number of days or weeks to show, even if the history is shorter.
    private static let minimumBars = 14

    /// Returns the days of a range. A range that ends before it begins, because days have passed, has only
    /// today.
    package static func days(of range: StatsRange, _ whole: Statistics, today: Day) -> ClosedRange<Day> {
        (try? range.days(today: today, first: whole.days.first?.day)) ?? today...today
    }

    /// The content of the screen for the chart that is selected in `viewState`.
    ///
    /// - Parameters:
    ///   - statistics: The statistics of the whole history.
    ///   - work: The work of the chosen range; needed if the chart is of a range.
    package init(
        _ statistics: Statistics, _ viewState: StatisticsViewState, _ goals: Goals, today: Day,
        zone: ZoneName, work: RangeWork?
    ) {
        self.zone = zone
        day = today
        self.today = statistics.total(in: today...today)
        week = statistics.total(in: CalendarUnit.week.days(around: today).lowerBound...today)
        streak = Streak(statistics, goals, today: today).map {
            StreakLength(
                unit: $0.unit, current: $0.current?.count ?? 0, longest: $0.longest?.count ?? 0)
        }
        range = work.map {
            RangeSummary(
                title: viewState.range.title, total: $0.statistics.total(in: $0.days),
                averages: AverageComparison(statistics, in: $0.days, without: goals.daysOff))
        }
        let ranged = work?.statistics ?? statistics
        let first = min(statistics.days.first?.day ?? today, today)
        switch viewState.chart {
        case .days:
            let range = min(first, today.advanced(by: 1 - StatisticsScene.minimumBars))...today
            chart = .bars(StatisticsScene.bars(statistics, .day, in: range) { $0.days.lowerBound.shortName })
        case .weeks:
            let range = min(first, today.advanced(by: -7 * (StatisticsScene.minimumBars - 1)))...today
            let whole = CalendarUnit.week.days(around: range.lowerBound).lowerBound...today
            chart = .bars(
                StatisticsScene.bars(statistics, .week, in: whole) {
                    "\($0.name), \($0.days.lowerBound.shortName)"
                })
        case .hours:
            chart = .bars(
                ranged.hourRows.map {
                    Bar(id: Int64($0.hour), name: $0.name, total: FocusTotal(focus: $0.focus))
                })
        case .labels:
            chart = .bars(
                ranged.labels.enumerated().map { index, total in
                    Bar(
                        id: Int64(index), name: total.label.isEmpty ? "(no label)" : total.label,
                        total: total.total)
                })
        case .tags:
            chart = .bars(
                ranged.tags.enumerated().map { index, total in
                    Bar(id: Int64(index), name: total.tag.text, total: total.total)
                })
        case .year:
            let end =
                viewState.yearsBack == 0 ? today : StatisticsScene.end(of: viewState.yearsBack, today: today)
            chart = .heatmap(Heatmap(statistics, in: Heatmap.range(weeks: Heatmap.weeksOfYear, upTo: end)))
        }
    }

    private static func bars(
        _ statistics: Statistics, _ unit: CalendarUnit, in range: ClosedRange<Day>,
        name: (Statistics.Bar) -> String
    ) -> [Bar] {
        statistics.bars(by: unit, in: range).reversed().map {
            Bar(id: $0.days.lowerBound.number, name: name($0), total: $0.total)
        }
    }

    /// Returns the last day of the year `yearsBack` years ago.
    private static func end(of yearsBack: Int, today: Day) -> Day {
        let year = today.date.year - Int64(yearsBack)
        return Day(year: year, month: 12, day: 31) ?? today
    }
}
