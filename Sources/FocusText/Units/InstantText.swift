package import FocusCore

/// Instants as text: milliseconds since the Unix epoch, or RFC 3339.
package enum InstantText {
    /// The instant that a text names: a whole number of milliseconds since the Unix epoch, or a date and time as RFC 3339 §5.6 has it (`2025-11-20T18:00:00Z`, `2025-11-20 19:00:00.250+01:00`). Nil where it
    /// is neither. What is finer than a millisecond is cut off.
    package static func parse(_ text: String) -> SharedInstant? {
        if let milliseconds = Int64(text) { return SharedInstant(milliseconds: milliseconds) }
        var scanner = TimeScanner(text)
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
            scanner.skip("-"), let dayOfMonth = scanner.number(2), scanner.skip("Tt "),
            let day = Day(year: year, month: month, day: dayOfMonth), let hour = scanner.number(2),
            scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
            let second = scanner.number(2), hour < 24, minute < 60, second <= 60,
            let milliseconds = scanner.thousandths(), let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let minutes = (day.number * 24 + hour) * 60 + minute - offset
        return SharedInstant(milliseconds: (minutes * 60 + second) * 1000 + milliseconds)
    }
}
