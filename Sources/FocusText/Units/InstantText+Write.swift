package import FocusCore

extension InstantText {
    /// An instant as RFC 3339 has it, in UTC and to the millisecond:
    /// `2025-11-20T18:00:00.000Z`. `parse` reads it back, for the years 0 to 9999.
    package static func text(_ instant: SharedInstant) -> String {
        let (days, within) = instant.milliseconds.floored(by: 86_400_000)
        let seconds = within / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        return "\(Day(number: days))T\(time.joined(separator: ":"))"
            + ".\(padded(within % 1000, 3))Z"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
