package import FocusCore

/// A date and a time of day as calendars and clocks show them. The instant depends
/// on the place (`LocalZone`).
package struct CivilTime: Hashable, Sendable {
    /// The date. At one instant it isn't the same everywhere.
    package let day: Day
    /// The time of day: whole milliseconds that the clock shows after midnight, less than a day.
    package let sinceMidnight: Duration

    /// Creates the time of this date and clock; nil if no clock shows it.
    package init?(day: Day, hour: Int64, minute: Int64, second: Int64 = 0, milliseconds: Int64 = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1000).contains(milliseconds)
        else { return nil }
        self.day = day
        sinceMidnight = .seconds((hour * 60 + minute) * 60 + second) + .milliseconds(milliseconds)
    }

    /// Creates the date and time of UTC at an instant.
    package init(utc instant: SharedInstant) {
        let (days, within) = instant.milliseconds.floored(by: 86_400_000)
        day = Day(number: days)
        sinceMidnight = .milliseconds(within)
    }

    /// The instant of this date and time in UTC.
    package var utc: SharedInstant { .midnight(of: day) + sinceMidnight }
}

extension CivilTime {
    /// Parses the extended form of ISO 8601: `2025-11-20T18:00:00.250`. The T may be a space, and seconds may
    /// be left out. Nil for any other text.
    package init?(extended text: some StringProtocol) {
        var scanner = TimeScanner(text)
        guard let day = scanner.day(), scanner.skip("Tt "), let time = scanner.clock(on: day), scanner.isAtEnd
        else { return nil }
        self = time
    }

    /// Parses the basic form of ISO 8601, to the second: `20251120T180000`. A leap second is read as the
    /// second before it (RFC 5545 §3.3.12). Nil for any other text.
    package init?(basic text: some StringProtocol) {
        var scanner = TimeScanner(text)
        guard let day = scanner.basicDay(), scanner.skip("T"), let hour = scanner.number(2),
            let minute = scanner.number(2), let second = scanner.number(2), scanner.isAtEnd, second <= 60
        else { return nil }
        self.init(day: day, hour: hour, minute: minute, second: min(second, 59))
    }

    /// The time as `2025-11-20T18:00:00`.
    package var extended: String { "\(day)T\(clock)" }

    /// The time to the minute, for people: `Thu 20 Nov 2025, 18:00`.
    package var name: String { "\(day.name), \(clock.prefix(5))" }

    /// The time as `20251120T180000`.
    package var basic: String { "\(day)T\(clock)".filter { $0 != "-" && $0 != ":" } }

    /// The time of day as `18:00:00`.
    package var clock: String {
        let seconds = sinceMidnight.inSeconds
        return [seconds / 3600, seconds / 60 % 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension TimeScanner {
    /// Reads a date like `2025-11-20`; nil if none comes next.
    package mutating func day() -> Day? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else {
            return nil
        }
        return Day(year: year, month: month, day: day)
    }

    /// Reads a date like `20251120`; nil if none comes next.
    package mutating func basicDay() -> Day? {
        guard let year = number(4), let month = number(2), let day = number(2) else { return nil }
        return Day(year: year, month: month, day: day)
    }

    /// Reads a time of day like `18:00`, `18:00:00` or `18:00:00.250`; nil if none comes next. `24:00` is the
    /// next day's midnight.
    package mutating func clock(on day: Day) -> CivilTime? {
        guard let hour = number(2), skip(":"), let minute = number(2) else { return nil }
        var second: Int64? = 0
        var milliseconds: Int64? = 0
        if skip(":") {
            second = number(2)
            milliseconds = thousandths()
        }
        guard let second, let milliseconds else { return nil }
        if hour == 24, minute == 0, second == 0, milliseconds == 0 {
            return CivilTime(day: day.advanced(by: 1), hour: 0, minute: 0)
        }
        return CivilTime(day: day, hour: hour, minute: minute, second: second, milliseconds: milliseconds)
    }
}
