import FocusCore
import FocusText

/// A date or a time in a calendar (RFC 5545 §3.3.4, §3.3.5), before it is known what its zone is.
enum CalendarTime {
    case day(Day)
    case utc(SharedInstant)
    /// By the clocks of wherever one is.
    case floating(CivilTime)
    case zoned(CivilTime, zone: String)

    init(_ line: ContentLine) throws(BadFile) {
        var scanner = TimeScanner(line.value)
        if let day = scanner.basicDay(), scanner.isAtEnd {
            self = .day(day)
        } else if line.value.hasSuffix("Z"), let time = CivilTime(basic: line.value.dropLast()) {
            self = .utc(time.utc)
        } else if let time = CivilTime(basic: line.value) {
            self = line.parameters["TZID"].map { .zoned(time, zone: $0) } ?? .floating(time)
        } else {
            throw BadFile(
                line: line.number, "\(line.name) is '\(line.value)', and not a time as in 20251120T180000Z")
        }
    }

    /// The instant; nil for a day. `instant` says when clocks show a time: those
    /// of a zone, or where it has none, of the reader's place.
    func instant(_ instant: (CivilTime, String?) -> SharedInstant) -> SharedInstant? {
        switch self {
        case .day: nil
        case .utc(let known): known
        case .floating(let time): instant(time, nil)
        case .zoned(let time, let zone): instant(time, zone)
        }
    }

    /// The length that a DURATION says (§3.3.6), a day being 24 hours.
    static func length(_ line: ContentLine) throws(BadFile) -> Duration {
        guard let length = length(line.value) else {
            throw BadFile(line: line.number, "DURATION is '\(line.value)', and not a length as in PT25M")
        }
        return length
    }

    private static func length(_ text: String) -> Duration? {
        var rest = text[...]
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var seconds: Int64 = 0
        var units: [Character: Int64] = ["W": 604_800, "D": 86_400]
        while let first = rest.first {
            if first == "T" {
                rest = rest.dropFirst()
                units = ["H": 3600, "M": 60, "S": 1]
                guard !rest.isEmpty else { return nil }
                continue
            }
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            guard (1...6).contains(digits.count), let count = Int64(digits), let letter = rest.popFirst(),
                let unit = units.removeValue(forKey: letter)
            else { return nil }
            seconds += count * unit
        }
        return .seconds(isNegative ? -seconds : seconds)
    }
}
