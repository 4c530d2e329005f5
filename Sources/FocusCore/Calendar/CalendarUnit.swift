/// What the calendar is divided into. Weeks are those of ISO 8601: they begin on Monday, and a week belongs to the
/// year that has its Thursday. So they are the same on every laptop, whatever its language.
package enum CalendarUnit: String, CaseIterable, Hashable, Sendable {
    case day, week, month, year

    /// The unit's stretch that `day` lies in, from its first day to its last.
    package func days(around day: Day) -> ClosedRange<Day> {
        let (year, month, dayOfMonth) = day.date
        switch self {
        case .day: return day...day
        case .week:
            let monday = day.advanced(by: 1 - day.weekday)
            return monday...monday.advanced(by: 6)
        case .month:
            let first = day.advanced(by: Int(1 - dayOfMonth))
            // Wherever in the next month this is, going back its day of the month is the last of this one.
            let next = first.advanced(by: 31)
            return first...next.advanced(by: -Int(next.date.day))
        case .year:
            let before = (1..<month).reduce(dayOfMonth - 1) { $0 + Day.count(inMonth: $1, of: year) }
            let first = day.advanced(by: -Int(before))
            return first...first.advanced(by: Day.isLeap(year) ? 365 : 364)
        }
    }

    /// How ISO 8601 writes the unit's stretch that `day` lies in: `2025-11-20`, `2025-W47`, `2025-11`, `2025`.
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
