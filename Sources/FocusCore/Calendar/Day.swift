/// A day of the proleptic Gregorian calendar, as in ISO 8601. It begins at different instants in different
/// places (`LocalCalendar`).
package struct Day: Hashable, Sendable {
    /// Days since 1970-01-01.
    package let number: Int64

    /// Creates the day `number` days after 1970-01-01, or before it if `number` is negative.
    package init(number: Int64) { self.number = number }

    /// Creates the day of this date, or nil if the calendar has no such date or the year isn't within 0…9999.
    /// The algorithm is `days_from_civil` (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Day.count(inMonth: month, of: year)).contains(day)
        else { return nil }
        let shifted = (month <= 2 ? year - 1 : year) + 400
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = (era - 1) * 146_097 + dayOfEra - 719_468
    }

    /// The year, the month from 1 to 12, and the day of the month from 1 (Hinnant, `civil_from_days`).
    package var date: (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (number + 719_468).floored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months count from March, so that the leap day is the last day of the year.
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The day of the week: 1 for Monday to 7 for Sunday (ISO 8601).
    package var weekday: Int { Int((number + 3).floored(by: 7).rest) + 1 }

    /// Returns the number of days in `month`, which is 1…12.
    static func count(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension Day: Strideable {
    /// Returns how many days later `other` is; negative if it is earlier.
    package func distance(to other: Day) -> Int { Int(other.number - number) }
    /// Returns the day `days` days later, or earlier if `days` is negative.
    package func advanced(by days: Int) -> Day { Day(number: number + Int64(days)) }
}

extension Day: CustomStringConvertible {
    /// The day as `2025-11-20` (ISO 8601).
    package var description: String {
        let (year, month, day) = date
        return "\(Day.digits(year, 4))-\(Day.digits(month, 2))-\(Day.digits(day, 2))"
    }

    /// Returns a number in decimal, with zeros before it up to at least `width` digits.
    static func digits(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// Returns the quotient rounded down, and the remainder, which is in 0..<`divisor`. The divisor must be
    /// positive.
    package func floored(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

/// A unit of the calendar. Weeks are as in ISO 8601: they begin on Monday, and a week belongs to the year
/// that has its Thursday. So weeks are the same on every laptop, in every language.
package enum CalendarUnit: String, CaseIterable, Hashable, Sendable {
    case day, week, month, year

    /// Returns the day, week, month or year that `day` lies in, from its first day to its last.
    package func days(around day: Day) -> ClosedRange<Day> {
        let (year, month, dayOfMonth) = day.date
        switch self {
        case .day: return day...day
        case .week:
            let monday = day.advanced(by: 1 - day.weekday)
            return monday...monday.advanced(by: 6)
        case .month:
            let first = day.advanced(by: Int(1 - dayOfMonth))
            // `next` lies in the next month. Going back by its day of the month gives the last day of this
            // one.
            let next = first.advanced(by: 31)
            return first...next.advanced(by: -Int(next.date.day))
        case .year:
            let before = (1..<month).reduce(dayOfMonth - 1) { $0 + Day.count(inMonth: $1, of: year) }
            let first = day.advanced(by: -Int(before))
            return first...first.advanced(by: Day.isLeap(year) ? 365 : 364)
        }
    }

    /// Returns the ISO 8601 name of the day, week, month or year that `day` lies in: `2025-11-20`,
    /// `2025-W47`, `2025-11`, `2025`.
    package func name(around day: Day) -> String {
        switch self {
        case .day: return day.description
        case .week:
            let thursday = day.advanced(by: 4 - day.weekday)
            let first = CalendarUnit.year.days(around: thursday).lowerBound
            let week = Int64(first.distance(to: thursday) / 7 + 1)
            return "\(Day.digits(thursday.date.year, 4))-W\(Day.digits(week, 2))"
        case .month: return String(day.description.dropLast(3))
        case .year: return Day.digits(day.date.year, 4)
        }
    }
}
