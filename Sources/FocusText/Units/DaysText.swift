package import FocusCore

/// Days, weeks, months and years in the notation of ISO 8601.
package enum DaysText {
    /// The notation, to be read after "is written".
    package static let rule = "2025-11-20, 2025-W47, 2025-11 or 2025"

    /// Returns the days of the day, week, month or year that `text` names in the notation of
    /// `CalendarUnit.name(around:)`, in the years 0 to 9999. Returns nil for any other text.
    package static func days(in text: String) -> ClosedRange<Day>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let year = number(parts.first, digits: 4) else { return nil }
        switch parts.count {
        case 1:
            return named(.year, text, around: Day(year: year, month: 1, day: 1))
        case 2:
            if let month = number(parts.last, digits: 2) {
                return named(.month, text, around: Day(year: year, month: month, day: 1))
            }
            guard parts.last?.first == "W", let week = number(parts.last?.dropFirst(), digits: 2) else {
                return nil
            }
            // January 4 is always in the first week of its year.
            let first = Day(year: year, month: 1, day: 4)
            return named(.week, text, around: first?.advanced(by: 7 * (Int(week) - 1)))
        case 3:
            guard let month = number(parts.dropFirst().first, digits: 2),
                let day = number(parts.last, digits: 2)
            else { return nil }
            return named(.day, text, around: Day(year: year, month: month, day: day))
        default: return nil
        }
    }

    /// Returns the value of exactly `digits` digits, or nil for any other text.
    private static func number(_ text: Substring?, digits: Int) -> Int64? {
        guard let text, text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns the unit's days around `day`, or nil if their name isn't `name`: for example, a
    /// year may have no 53rd week.
    private static func named(_ unit: CalendarUnit, _ name: String, around day: Day?) -> ClosedRange<Day>? {
        guard let day, unit.name(around: day) == name else { return nil }
        return unit.days(around: day)
    }
}

/// The days of the week as people write them: `sat,sun`.
package enum WeekdayText {
    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Returns the name of a day of the week: 1 for Monday to 7 for Sunday.
    package static func name(of weekday: Int) -> String { names[weekday - 1] }

    /// All names, as a text can have them.
    package static let all = names.joined(separator: ",")

    /// Returns the words between the commas of a text, in small letters and without spaces around them.
    private static func words(in text: String) -> [String] {
        text.lowercased().split(separator: ",", omittingEmptySubsequences: false).map { word in
            word.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
    }

    /// Returns the first word in the text that isn't a day's name, in small letters; nil if all are.
    package static func unknownName(in text: String) -> String? {
        words(in: text).first { !names.contains($0) }
    }

    /// Returns the days of a text such as `sat,sun`, in order. Spaces around a name and capitals don't count.
    /// Returns nil if a word isn't a day's name.
    package static func weekdays(in text: String) -> [Int]? {
        let words = words(in: text)
        guard words.allSatisfy({ names.contains($0) }) else { return nil }
        return names.indices.filter { words.contains(names[$0]) }.map { $0 + 1 }
    }
}

extension Day {
    /// The day, for people: `Thu 20 Nov 2025`.
    package var name: String { "\(shortName) \(date.year)" }

    /// The day without the year, for people: `Thu 20 Nov`.
    package var shortName: String { "\(weekdayName) \(date.day) \(monthName)" }

    /// The day of the week: `Thu`.
    package var weekdayName: String { Day.weekdays[weekday - 1] }

    /// The month: `Nov`.
    package var monthName: String { Day.months[Int(date.month) - 1] }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
