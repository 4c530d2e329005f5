/// Days in a row on which the daily goal was met. The goal is the one of now, for the days of the past too.
package struct Streak: Hashable, Sendable {
    /// Those up to today, or up to yesterday where today's goal isn't met yet; nil where there are none.
    package let current: ClosedRange<Day>?
    /// The longest of all, the latest where several are as long; nil where the goal was never met.
    package let longest: ClosedRange<Day>?

    /// - Parameter goal: So many completed work phases a day. Nil where it is 0: no goal, no streak.
    ///
    /// Cost: linear in the days that have something.
    package init?(_ statistics: Statistics, goal: Int64, today: Day) {
        guard goal > 0 else { return nil }
        var longest: ClosedRange<Day>?
        var latest: ClosedRange<Day>?
        var current: ClosedRange<Day>?
        for day in statistics.days where day.day <= today && day.total.completed >= goal {
            let isNext = latest?.upperBound.advanced(by: 1) == day.day
            let row = (isNext ? latest?.lowerBound ?? day.day : day.day)...day.day
            if row.count >= longest?.count ?? 0 { longest = row }
            if row.upperBound.distance(to: today) <= 1 { current = row }
            latest = row
        }
        self.longest = longest
        self.current = current
    }
}
