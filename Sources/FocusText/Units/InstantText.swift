package import FocusCore

/// Instants as text: milliseconds since the Unix epoch, or RFC 3339.
package enum InstantText {
    /// Parses whole milliseconds since the Unix epoch, or a date and time of RFC 3339 §5.6
    /// (`2025-11-20T18:00:00Z`, `2025-11-20 19:00:00.250+01:00`). Nil for any other text. Digits finer than a
    /// millisecond are cut off.
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

extension InstantText {
    /// Returns an instant in the notation of RFC 3339, in UTC and to the millisecond:
    /// `2025-11-20T18:00:00.000Z`. `parse` reads it back, for the years 0 to 9999.
    package static func text(_ instant: SharedInstant) -> String {
        let (days, within) = instant.milliseconds.floored(by: 86_400_000)
        let seconds = within / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        return "\(Day(number: days))T\(time.joined(separator: ":"))"
            + ".\(padded(within % 1000, 3))Z"
    }

    /// Returns an instant to the minute, for people: `Thu 20 Nov 2025, 18:00 UTC`.
    package static func name(_ instant: SharedInstant) -> String { "\(CivilTime(utc: instant).name) UTC" }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// A scanner that reads dates and times from the front of a text, piece by piece.
package struct TimeScanner {
    private var rest: Substring.UTF8View

    /// Creates a scanner at the front of this text. White space is not skipped.
    package init(_ text: some StringProtocol) { rest = Substring(text).utf8 }

    /// Whether the whole text was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads a number of exactly `count` digits; nil if none comes next.
    package mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Skips one of the ASCII characters in `choices`, and returns whether one came next.
    package mutating func skip(_ choices: String) -> Bool {
        guard let next = rest.first, choices.utf8.contains(next) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads a decimal point and the digits after it as thousandths. Returns 0 if there is no point, and nil
    /// if no digit follows it. Digits finer than a thousandth are cut off.
    package mutating func thousandths() -> Int64? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let thousandths = String(decoding: digits.prefix(3), as: UTF8.self)
        return Int64(thousandths + String(repeating: "0", count: 3 - thousandths.count))
    }

    /// Reads `Z` or an offset like `+01:00`, and returns it in minutes east of UTC;
    /// nil if neither comes next.
    package mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
