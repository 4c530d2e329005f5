import FocusCore
import FocusText

/// Times of day in tables.
enum TableTime {
    /// Parses a time of day: `18:00`, `9:30:15.250`, `6:00 PM`, `6:00:15p.m.`, `24:00`. Nil for any other
    /// text.
    static func time(_ text: some StringProtocol, on day: Day) -> CivilTime? {
        var clock = text.uppercased()[...]
        var half: Character?
        for mark in ["A.M.", "P.M.", "AM", "PM"] where clock.hasSuffix(mark) {
            clock = clock.dropLast(mark.count)
            while clock.last?.isWhitespace == true { clock.removeLast() }
            half = mark.first
            break
        }
        var scanner = TimeScanner(clock.utf8.dropFirst().first == UInt8(ascii: ":") ? "0\(clock)" : clock)
        guard let time = scanner.clock(on: day), scanner.isAtEnd else { return nil }
        guard let half else { return time }
        // With AM or PM, the hour is 1 to 12. 12:00 AM is midnight, and 12:00 PM is noon.
        let noon = Duration.seconds(12 * 3600)
        let sinceMidnight = time.utc - .midnight(of: day)
        guard (Duration.seconds(3600)..<Duration.seconds(13 * 3600)).contains(sinceMidnight) else {
            return nil
        }
        return CivilTime(
            utc: .midnight(of: day) + (sinceMidnight < noon ? sinceMidnight : sinceMidnight - noon)
                + (half == "P" ? noon : .zero))
    }

    /// Parses a date and a time of day, like `2025-11-20 18:00`. Nil for any other text.
    static func time(_ text: String) -> CivilTime? {
        let date = text.prefix(10)
        var scanner = TimeScanner(date)
        guard let day = scanner.day(), scanner.isAtEnd, let gap = text.dropFirst(10).first,
            gap == "T" || gap == "t" || gap.isWhitespace
        else { return nil }
        return time(text.dropFirst(11).drop(while: \.isWhitespace), on: day)
    }
}
