import FocusCore

/// Instants as text: milliseconds since the Unix epoch, or RFC 3339.
package enum Instant {
    /// The instant, in milliseconds since the Unix epoch, that a text names: a whole number of them, or a date
    /// and time as RFC 3339 §5.6 has it (`2025-11-20T18:00:00Z`, `2025-11-20 19:00:00.250+01:00`). Nil where it
    /// is neither. What is finer than a millisecond is cut off.
    package static func parse(_ text: String) -> Int64? {
        if let milliseconds = Int64(text) { return milliseconds }
        var rest = text.utf8[...]
        func number(_ count: Int) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        func skip(_ choices: String) -> Bool {
            guard let next = rest.first, choices.utf8.contains(next) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            skip("Tt "), let hour = number(2), skip(":"), let minute = number(2), skip(":"),
            let second = number(2), let date = Day(year: year, month: month, day: day), hour < 24,
            minute < 60,
            second <= 60
        else { return nil }
        var milliseconds: Int64 = 0
        if skip(".") {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            let thousandths = String(decoding: digits.prefix(3), as: UTF8.self)
            milliseconds = Int64(thousandths + String(repeating: "0", count: 3 - thousandths.count)) ?? 0
        }
        var offset: Int64 = 0
        if !skip("Zz") {
            let isWest = rest.first == UInt8(ascii: "-")
            guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let minutes = (date.number * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1000 + milliseconds
    }
}
