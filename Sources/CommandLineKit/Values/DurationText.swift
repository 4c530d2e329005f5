/// Durations as people write them: `25m`, `90s`, `1h30m`, and `25` for minutes. Whole seconds only.
package enum DurationText {
    /// The longest duration that is accepted: a leap year.
    package static let limit = Duration.seconds(366 * 86400)

    /// The rule, as a sentence for help and messages.
    package static let rule = "A duration is written 25m, 90s or 1h30m; a number alone is minutes."

    /// Parses a duration of at most `limit`, or returns nil. It has hours, minutes and seconds in this order,
    /// each at most once; or it is a single number of minutes.
    package static func duration(in text: some StringProtocol) -> Duration? {
        var seconds: Int64 = 0
        var number: Int64?
        var units = units[...]
        var isNumberAlone = true
        for byte in text.utf8 {
            if let digit = digit(byte) {
                let grown = (number ?? 0).multipliedReportingOverflow(by: 10)
                let (next, overflow) = grown.partialValue.addingReportingOverflow(digit)
                guard !grown.overflow, !overflow else { return nil }
                number = next
            } else {
                guard let count = number, let index = units.firstIndex(where: { $0.letter == byte }),
                    let sum = adding(count, times: units[index].seconds, to: seconds)
                else { return nil }
                seconds = sum
                number = nil
                units = units[(index + 1)...]
                isNumberAlone = false
            }
        }
        if let count = number {
            guard isNumberAlone, let minutes = adding(count, times: 60, to: 0) else { return nil }
            seconds = minutes
        } else if isNumberAlone {
            return nil
        }
        return .seconds(seconds) <= limit ? .seconds(seconds) : nil
    }

    /// Parses a duration with an optional sign: `-5m` or `+5m`, for less or more time.
    package static func signedDuration(in text: String) -> Duration? {
        if text.hasPrefix("-") { return duration(in: text.dropFirst()).map { .zero - $0 } }
        return duration(in: text.hasPrefix("+") ? text.dropFirst() : text[...])
    }

    /// Returns the shortest text that `signedDuration(in:)` parses to `duration`, without fractions of a
    /// second: `25m`, `1h30m`, `0s`.
    package static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        guard seconds != 0 else { return "0s" }
        var rest = seconds.magnitude
        var text = seconds < 0 ? "-" : ""
        for unit in units {
            let count = rest / unit.seconds.magnitude
            rest %= unit.seconds.magnitude
            if count > 0 { text += "\(count)\(Character(Unicode.Scalar(unit.letter)))" }
        }
        return text
    }

    /// The units, in the order of a text.
    private static let units: [(letter: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
    ]

    private static func digit(_ byte: UInt8) -> Int64? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
    }

    private static func adding(_ count: Int64, times unit: Int64, to seconds: Int64) -> Int64? {
        let product = count.multipliedReportingOverflow(by: unit)
        let sum = seconds.addingReportingOverflow(product.partialValue)
        return product.overflow || sum.overflow ? nil : sum.partialValue
    }
}
