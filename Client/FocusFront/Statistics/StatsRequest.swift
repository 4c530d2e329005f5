import CommandLineKit
package import FocusCore
import FocusText

/// What `stats` is to show.
package struct StatsRequest: Hashable, Sendable {
    /// Which days.
    package var range: StatsRange
    /// Which work.
    package var choice: WorkChoice
    /// Whether they are shown as one JSON object.
    package var json: Bool

    /// All work of the year up to today, for people, unless something else is asked for.
    package init(
        range: StatsRange = .given(from: nil, to: nil), choice: WorkChoice = .all, json: Bool = false
    ) {
        self.range = range
        self.choice = choice
        self.json = json
    }
}

/// The days that `stats` is asked for.
package enum StatsRange: Hashable, Sendable {
    /// The week, month or year that today is in, up to today.
    case present(CalendarUnit)
    /// From and up to these days; the year up to today where there are neither.
    case given(from: DayWord?, to: DayWord?)

    /// The days themselves.
    ///
    /// - Parameter first: The first day that has something.
    /// - Throws: where the range ends before it begins.
    func days(today: Day, first: Day?) throws(CommandFailure) -> ClosedRange<Day> {
        switch self {
        case .present(let unit):
            return unit.days(around: today).lowerBound...today
        case .given(nil, nil):
            return Heatmap.range(weeks: Heatmap.weeksOfYear, upTo: today)
        case .given(let from, let to):
            let end = to?.days(today: today).upperBound ?? today
            let start = from?.days(today: today).lowerBound ?? min(first ?? end, end)
            guard start <= end else {
                throw CommandFailure("The range begins on \(start), after its end on \(end).", .usage)
            }
            return start...end
        }
    }
}

/// A word that names days.
package enum DayWord: Hashable, Sendable {
    case today
    case yesterday
    case days(ClosedRange<Day>)

    fileprivate func days(today: Day) -> ClosedRange<Day> {
        switch self {
        case .today: return today...today
        case .yesterday:
            let day = today.advanced(by: -1)
            return day...day
        case .days(let days): return days
        }
    }
}

extension DayWord {
    /// How a day is written, as a sentence.
    package static let rule = "A day is written today, yesterday, \(DaysText.rule)."

    /// The days that a word names; nil where it names none.
    package init?(_ word: String) {
        switch word {
        case "today": self = .today
        case "yesterday": self = .yesterday
        default:
            guard let days = DaysText.days(in: word) else { return nil }
            self = .days(days)
        }
    }
}

extension WorkChoice {
    /// What is asked for by a label or by a tag; nil where both are given.
    package init?(label: String?, tag: String?) {
        switch (label, tag) {
        case (nil, nil): self = .all
        case (let label?, nil): self = .label(label)
        case (nil, let tag?): self = .tag(tag)
        case (.some, .some): return nil
        }
    }
}
