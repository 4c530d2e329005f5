/// The streaks in a history (docs/timer-rules.md §6). The present goals and days off apply to the past too.
///
/// With a daily goal, a streak is consecutive days that met it. Days off between them don't break it; a day
/// off that met the goal counts. With only a weekly goal, a streak is consecutive weeks that met that goal.
package struct Streak: Hashable, Sendable {
    /// Consecutive days or weeks that met the goal.
    package struct Stretch: Hashable, Sendable {
        /// The number of days or weeks that met the goal.
        package let count: Int
        /// The days from the first that met the goal to the last one, or all days of the first week to the
        /// last one.
        package let days: ClosedRange<Day>
    }

    /// Whether days or weeks are counted.
    package let unit: CalendarUnit
    /// The streak up to now. Today, or this week, doesn't break it before it is over. It is nil if there is
    /// none.
    package let current: Stretch?
    /// The longest streak, or the latest of several equally long ones. It is nil if the goal was never met.
    package let longest: Stretch?

    /// Finds the streaks; nil if there is no goal. Cost: linear in the days with work.
    package init?(_ statistics: Statistics, _ goals: Goals, today: Day) {
        guard goals.daily.isSet || goals.weekly.isSet else { return nil }
        unit = goals.daily.isSet ? .day : .week
        let isDaily = goals.daily.isSet
        let continues = { (last: Day, next: Day) in
            isDaily
                ? goals.daysOff.isWholeGap(after: last, before: next)
                : last.distance(to: next) <= 1
        }
        let met =
            isDaily
            ? Streak.daysMeeting(goals.daily, statistics, until: today)
            : Streak.weeksMeeting(goals.weekly, statistics, until: today)
        var latest: Stretch?
        var longest: Stretch?
        for days in met {
            let stretch =
                if let latest, continues(latest.days.upperBound, days.lowerBound) {
                    Stretch(count: latest.count + 1, days: latest.days.lowerBound...days.upperBound)
                } else {
                    Stretch(count: 1, days: days)
                }
            if stretch.count >= longest?.count ?? 0 { longest = stretch }
            latest = stretch
        }
        self.longest = longest
        // The unit of today may still be met, so it is left out.
        let present = isDaily ? today : CalendarUnit.week.days(around: today).lowerBound
        current = latest.flatMap {
            $0.days.upperBound >= present || continues($0.days.upperBound, present) ? $0 : nil
        }
    }

    private static func daysMeeting(
        _ goal: Goal, _ statistics: Statistics, until today: Day
    ) -> [ClosedRange<Day>] {
        statistics.days.filter { $0.day <= today && goal.isMet(by: $0.total) }.map { $0.day...$0.day }
    }

    private static func weeksMeeting(
        _ goal: Goal, _ statistics: Statistics, until today: Day
    ) -> [ClosedRange<Day>] {
        var weeks: [(days: ClosedRange<Day>, total: FocusTotal)] = []
        for day in statistics.days where day.day <= today {
            if let last = weeks.last, last.days.contains(day.day) {
                weeks[weeks.count - 1].total += day.total
            } else {
                weeks.append((CalendarUnit.week.days(around: day.day), day.total))
            }
        }
        return weeks.filter { goal.isMet(by: $0.total) }.map { $0.days }
    }
}
