package import FocusCore
package import FocusText

/// The content of the statistics screen.
package struct StatisticsScene: Hashable, Sendable {
    /// Today's total, in the laptop's time zone.
    package let today: FocusTotal
    /// The present streak and the longest one; nil if there is no goal.
    package let streak: StreakLength?
    /// The chart to draw.
    package let chart: Chart
    /// The name of the present time zone, in which days are counted.
    package let zone: ZoneName

    /// The lengths of streaks, in days.
    package struct StreakLength: Hashable, Sendable {
        /// The streak up to today, or up to yesterday if today's goal isn't reached yet; 0 if there is none.
        package let current: Int
        /// The longest streak ever; 0 if the goal was never reached.
        package let longest: Int
    }

    /// The drawing for the selected chart (`StatisticsViewState.Chart`).
    package enum Chart: Hashable, Sendable {
        /// Bars of days or weeks, newest first; of labels and tags, the most focus time first.
        case bars([Bar])
        case heatmap(Heatmap)
    }

    /// The bar of a day, a week, a label or a tag.
    package struct Bar: Hashable, Sendable {
        /// The number of the first day; for a label or a tag, its position in the list.
        package let id: Int64
        /// The text beside the bar.
        package let name: String
        /// The total of the day, the week, the label or the tag.
        package let total: FocusTotal
    }

    /// The smallest number of days or weeks to show, even if the history is shorter.
    private static let minimumBars = 14

    /// The content of the screen for the chart that is selected in `viewState`.
    package init(
        _ statistics: Statistics, _ viewState: StatisticsViewState, goal: Int64, today: Day, zone: ZoneName
    ) {
        self.zone = zone
        self.today = statistics.total(in: today...today)
        streak = Streak(statistics, goal: goal, today: today).map {
            StreakLength(current: $0.current?.count ?? 0, longest: $0.longest?.count ?? 0)
        }
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
        case .labels:
            chart = .bars(
                statistics.labels.enumerated().map { index, total in
                    Bar(
                        id: Int64(index), name: total.label.isEmpty ? "(no label)" : total.label,
                        total: total.total)
                })
        case .tags:
            chart = .bars(
                statistics.tags.enumerated().map { index, total in
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
