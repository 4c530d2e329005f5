package import FocusCore
import FocusText

/// The texts about goals. A part of a goal that isn't set isn't named.
package enum GoalText {
    /// Returns the work of a day or week with its goal: `3h20m of 4h of focus time, 2 of 8 work phases`.
    package static func full(_ total: FocusTotal, _ goal: Goal) -> String {
        let focus = focus(total, goal, unit: " of focus time")
        return "\(focus), \(completedText(total.completed, goal: goal.completed))"
    }

    /// Returns the work of a day or week with its goal in few words: `2 of 8, 3h20m of 4h`. If only focus
    /// time is asked for, it has only that. Without a goal it is the number of phases.
    package static func short(_ total: FocusTotal, _ goal: Goal) -> String {
        var parts: [String] = []
        if goal.completed > 0 || goal.focus == .zero {
            parts.append(completed(total, goal))
        }
        if goal.focus > .zero { parts.append(focus(total, goal)) }
        return parts.joined(separator: ", ")
    }

    /// Returns the number of completed work phases and its goal, if there is one: `2 of 8`, or `9 (goal 8)` if
    /// there are more.
    package static func completed(_ total: FocusTotal, _ goal: Goal) -> String {
        switch goal.completed {
        case 0: "\(total.completed)"
        case ..<Int64(total.completed): "\(total.completed) (goal \(goal.completed))"
        default: "\(total.completed) of \(goal.completed)"
        }
    }

    /// Returns the focus time, and the goal for it if there is one: `3h20m of 4h`, or `5h (goal 4h)` if there
    /// is more.
    ///
    /// - Parameter unit: The words after the time, with a space before them.
    package static func focus(_ total: FocusTotal, _ goal: Goal, unit: String = "") -> String {
        let worked = lengthText(total.focus)
        guard goal.focus > .zero else { return worked + unit }
        let length = lengthText(goal.focus)
        return total.focus > goal.focus
            ? "\(worked)\(unit) (goal \(length))" : "\(worked) of \(length)\(unit)"
    }

    /// Returns the goal, to be read after "with": `8 work phases and 4h of focus time or more`.
    package static func rule(_ goal: Goal) -> String {
        let phases = goal.completed > 0 ? [counted(goal.completed, "work phase")] : []
        let focus = goal.focus > .zero ? ["\(lengthText(goal.focus)) of focus time"] : []
        return (phases + focus).joined(separator: " and ") + " or more"
    }

    /// Returns the work of today and, if there is a weekly goal, of this week, in a long form and one for few
    /// columns: `2 of 8 today, 9 of 30 this week` and `2 of 8 today`.
    package static func lines(
        today: FocusTotal, week: FocusTotal, _ goals: Goals, isDayOff: Bool
    ) -> (long: String, short: String) {
        let off = isDayOff && goals.daily.isSet ? ", a day off" : ""
        let day = "\(short(today, isDayOff ? .nothing : goals.daily)) today\(off)"
        return (day + (goals.weekly.isSet ? ", \(short(week, goals.weekly)) this week" : ""), day)
    }
}

extension Statistics {
    /// The hours of the day from the first to the last with focus time, each with its name: `09:00`.
    package var hourRows: [(hour: Int, name: String, focus: Duration)] {
        guard let first = hours.firstIndex(where: { $0 > .zero }),
            let last = hours.lastIndex(where: { $0 > .zero })
        else { return [] }
        return (first...last).map { ($0, "\($0 < 10 ? "0" : "")\($0):00", hours[$0]) }
    }
}

extension DailyAverage {
    /// The average in few words: `2h48m and 6.5`.
    fileprivate var shortText: String { "\(lengthText(focus)) and \(completedText)" }
}

extension AverageComparison {
    /// The average of the range: `2h48m and 6.5 work phases a day, over 4 days with focus time`. Nil if none
    /// of its days counts.
    package var averageText: String? {
        average.map { average in
            let phases = "\(average.completedText) work phase\(average.completedTenths == 10 ? "" : "s")"
            return "\(lengthText(average.focus)) and \(phases) a day, over "
                + "\(counted(average.days, "day")) with focus time"
        }
    }

    /// The averages in few words: `2h48m, 6.5 a day, before that 1h40m, 3.5`. Nil if no day of the range
    /// counts.
    ///
    /// - Parameter withBefore: Whether the days before the range are named.
    package func shortText(withBefore: Bool) -> String? {
        guard let average else { return nil }
        let pair = { (average: DailyAverage) in "\(lengthText(average.focus)), \(average.completedText)" }
        let text = "\(pair(average)) a day"
        guard withBefore, let before = before?.average else { return text }
        return "\(text), before that \(pair(before))"
    }

    /// The average of the days before the range, with their name: `the same days a week before: 1h40m and
    /// 3.5, over 2 days`. Nil if the range has no average, or there are no days before it.
    package var beforeText: String? {
        guard average != nil, let before else { return nil }
        let name =
            before.days.count <= 7 ? "the same days a week before" : "the \(before.days.count) days before"
        guard let average = before.average else { return "\(name): none" }
        return "\(name): \(average.shortText), over \(counted(average.days, "day"))"
    }
}
