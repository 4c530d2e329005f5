extension Instant {
    /// An instant in milliseconds since the Unix epoch as RFC 3339 has it, in UTC and to the millisecond:
    /// `2025-11-20T18:00:00.000Z`. `parse` reads it back, for the years 0 to 9999.
    package static func text(_ milliseconds: Int64) -> String {
        let (days, within) = floored(milliseconds, by: 86_400_000)
        let (year, month, day) = date(days)
        let seconds = within / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time.joined(separator: ":"))"
            + ".\(padded(within % 1000, 3))Z"
    }

    /// The date so many days after 1970-01-01 (Hinnant, "chrono-Compatible Low-Level Date Algorithms",
    /// `civil_from_days`).
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months from March, so that the leap day is the last of the year.
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The quotient rounded down, and what is left, from 0 to below the divisor.
    private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
