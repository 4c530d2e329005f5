/// The goals in the settings, and the days on which there is none (docs/timer-rules.md §6).
package struct Goals: Hashable, Sendable {
    /// The goal of a day that isn't off.
    package let daily: Goal
    /// The goal of a week.
    package let weekly: Goal
    /// The days of the week without a daily goal.
    package let daysOff: DaysOff

    /// The goals in these settings.
    package init(_ settings: Settings) {
        daily = Goal(completed: settings[.dailyGoal], focus: .seconds(settings[.dailyFocus]))
        weekly = Goal(completed: settings[.weeklyGoal], focus: .seconds(settings[.weeklyFocus]))
        daysOff = DaysOff(bits: settings[.daysOff])
    }

    /// The goal of a day. It asks for nothing on a day off.
    package func goal(of day: Day) -> Goal { daysOff.contains(day) ? .nothing : daily }
}

/// The work to reach in a day or a week. If it has two parts, both have to be reached.
package struct Goal: Hashable, Sendable {
    /// The number of completed work phases. 0 asks for none.
    package let completed: Int64
    /// The focus time. Zero asks for none.
    package let focus: Duration

    /// A goal that asks for nothing.
    package static let nothing = Goal(completed: 0, focus: .zero)

    /// Creates a goal of phases, of focus time, or of both.
    package init(completed: Int64, focus: Duration) {
        self.completed = completed
        self.focus = focus
    }

    /// Whether the goal asks for anything.
    package var isSet: Bool { self != .nothing }

    /// Whether the work reaches the goal. Nothing reaches a goal that asks for nothing.
    package func isMet(by total: FocusTotal) -> Bool {
        isSet && Int64(total.completed) >= completed && total.focus >= focus
    }
}

/// The days of the week that are off.
package struct DaysOff: Hashable, Sendable {
    /// The value of the setting `daysOff`: the lowest bit is Monday.
    private let bits: Int64

    /// The days of a value of the setting `daysOff`.
    package init(bits: Int64) { self.bits = bits }

    /// Whether no day is off.
    package var isEmpty: Bool { weekdays.isEmpty }

    /// The days that are off, in order: 1 for Monday to 7 for Sunday.
    package var weekdays: [Int] { (1...7).filter(contains) }

    /// Whether the day is off.
    package func contains(_ day: Day) -> Bool { contains(day.weekday) }

    private func contains(_ weekday: Int) -> Bool { bits >> Int64(weekday - 1) & 1 == 1 }

    /// Whether all days after `first` and before `last` are off, or there are none.
    func isWholeGap(after first: Day, before last: Day) -> Bool {
        let gap = first.distance(to: last) - 1
        guard gap > 0 else { return true }
        // Seven days in a row have each weekday.
        return (1...min(gap, 7)).allSatisfy { contains(first.advanced(by: $0)) }
    }
}
