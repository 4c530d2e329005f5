package import CommandLineKit
package import FocusCore
import FocusText

/// A range of days that a person asks for.
package enum StatsRange: Hashable, Sendable {
    /// The week, month or year around today, up to today.
    case present(CalendarUnit)
    /// From and up to these days: by default from the first day with an entry, and up to today. If neither is
    /// given, the year up to today.
    case given(from: DayWord?, to: DayWord?)

    /// Returns the days of the range.
    ///
    /// - Parameter first: The first day with an entry, or nil if there is none.
    /// - Throws: `CommandFailure` if the range ends before it begins.
    package func days(today: Day, first: Day?) throws(CommandFailure) -> ClosedRange<Day> {
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

extension StatsRange {
    /// The sentence about how to write a range in one line.
    package static let rule =
        "Write week, month or year for the present one, days such as 2025-11 or yesterday, or 2025-11-03 to today; "
        + "nothing is the year up to today."

    /// The range of a line that a person types; nil if it is none.
    package init?(line: String) {
        let words = line.split { $0.isWhitespace }.map(String.init)
        switch words.count {
        case 0: self = .given(from: nil, to: nil)
        case 1:
            if let unit = CalendarUnit(rawValue: words[0]), unit != .day {
                self = .present(unit)
            } else {
                guard let days = DayWord(words[0]) else { return nil }
                self = .given(from: days, to: days)
            }
        case 3 where words[1] == "to":
            guard let from = DayWord(words[0]), let to = DayWord(words[2]) else { return nil }
            self = .given(from: from, to: to)
        default: return nil
        }
    }

    /// The line that `init(line:)` reads as this range.
    package var line: String {
        switch self {
        case .present(let unit): unit.rawValue
        case .given(nil, nil): ""
        case .given(let from?, let to) where from == to: from.text
        case .given(let from, let to): "\(from?.text ?? "0000") to \(to?.text ?? "today")"
        }
    }

    /// The range, for people.
    package var title: String {
        switch self {
        case .present(let unit): "This \(unit.rawValue)"
        case .given(nil, nil): "The year up to today"
        case .given: line.prefix(1).uppercased() + line.dropFirst()
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
    /// The word, which `init` reads as the same days.
    package var text: String {
        switch self {
        case .today: return "today"
        case .yesterday: return "yesterday"
        case .days(let days):
            let first = days.lowerBound
            let unit = CalendarUnit.allCases.first { $0.days(around: first) == days }
            return (unit ?? .day).name(around: first)
        }
    }

    /// The sentence about how to write a day.
    package static let rule = "A day is written today, yesterday, \(DaysText.rule)."

    /// The days that a word names, or nil if it names none.
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
    /// The sentence about how to write a tag.
    package static let tagRule =
        "A tag is a word of a label that begins with # or +, such as #deep; its sign can be left out."

    /// The choice by a label or by a tag: all work if neither is given, nil if both are. The label is cleaned
    /// as replay cleans labels of the log.
    package init?(label: String?, tag: String?) {
        switch (label, tag) {
        case (nil, nil): self = .all
        case (let label?, nil): self = .label(Text.oneLine(label))
        case (nil, let tag?): self = .tag(tag)
        case (.some, .some): return nil
        }
    }
}
