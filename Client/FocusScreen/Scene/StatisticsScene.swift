package import FocusCore
package import FocusText

/// What the statistics screen shows.
package struct StatisticsScene: Hashable, Sendable {
    /// What was done today, by the clocks of this place.
    package let today: FocusTotal
    /// Days in a row on which the goal was met: up to now, and the longest; nil without a goal.
    package let streak: StreakLength?
    /// What is drawn of all that was done.
    package let chart: Chart
    /// In which the days are, now.
    package let zone: ZoneName

    /// In days.
    package struct StreakLength: Hashable, Sendable {
        /// Up to today, or up to yesterday where today's goal isn't met yet; 0 where there are none.
        package let current: Int
        /// The most that there ever were; 0 where the goal was never met.
        package let longest: Int
    }

    /// What is drawn, worked out for the chart that was asked for (`StatisticsPlace.Chart`).
    package enum Chart: Hashable, Sendable {
        /// Newest first; labels and tags by their focus time.
        case bars([Bar])
        case heatmap(Heatmap)
    }

    /// A day, a week, a label or a tag.
    package struct Bar: Hashable, Sendable {
        /// The number of its first day; of a label or a tag its place in the list.
        package let id: Int64
        /// What stands beside the bar.
        package let name: String
        /// What was done in that time, or under that label or tag.
        package let total: FocusTotal
    }

    /// So many days and weeks are shown at least, though nothing was done before.
    private static let fewest = 14

    /// What `place` shows of the statistics.
    package init(
        _ statistics: Statistics, _ place: StatisticsPlace, goal: Int64, today: Day, zone: ZoneName
    ) {
        self.zone = zone
        self.today = statistics.total(in: today...today)
        streak = Streak(statistics, goal: goal, today: today).map {
            StreakLength(current: $0.current?.count ?? 0, longest: $0.longest?.count ?? 0)
        }
        let first = min(statistics.days.first?.day ?? today, today)
        switch place.chart {
        case .days:
            let range = min(first, today.advanced(by: 1 - StatisticsScene.fewest))...today
            chart = .bars(StatisticsScene.bars(statistics, .day, in: range) { $0.days.lowerBound.shortName })
        case .weeks:
            let range = min(first, today.advanced(by: -7 * (StatisticsScene.fewest - 1)))...today
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
            let end = place.yearsBack == 0 ? today : StatisticsScene.end(of: place.yearsBack, today: today)
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

    /// The last day of the year so many years back.
    private static func end(of yearsBack: Int, today: Day) -> Day {
        let year = today.date.year - Int64(yearsBack)
        return Day(year: year, month: 12, day: 31) ?? today
    }
}
