package import FocusCore

/// A date and a time of day as they stand on a calendar and a clock, wherever those hang: which instant that is
/// depends on the place (`LocalZone`).
package struct CivilTime: Hashable, Sendable {
    /// The date on the calendar: at one instant not the same everywhere.
    package let day: Day
    /// How long after midnight by the clock, in whole milliseconds: less than a day.
    package let sinceMidnight: Duration

    /// The time of this date and clock; nil where no clock shows it.
    package init?(day: Day, hour: Int64, minute: Int64, second: Int64 = 0, milliseconds: Int64 = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1000).contains(milliseconds)
        else { return nil }
        self.day = day
        sinceMidnight = .seconds((hour * 60 + minute) * 60 + second) + .milliseconds(milliseconds)
    }

    /// What UTC's clocks show at an instant.
    package init(utc instant: SharedInstant) {
        let (days, within) = instant.milliseconds.floored(by: 86_400_000)
        day = Day(number: days)
        sinceMidnight = .milliseconds(within)
    }

    /// When UTC's clocks show it.
    package var utc: SharedInstant { .midnight(of: day) + sinceMidnight }
}

extension CivilTime {
    /// The time that a text says in the extended form of ISO 8601: `2025-11-20T18:00:00.250`; a space may stand for
    /// the T, and seconds may be left out. Nil where it says none.
    package init?(extended text: some StringProtocol) {
        var scanner = TimeScanner(text)
        guard let day = scanner.day(), scanner.skip("Tt "), let time = scanner.clock(on: day), scanner.isAtEnd
        else { return nil }
        self = time
    }

    /// The time that a text says in the basic form of ISO 8601, to the second: `20251120T180000`. A leap second is
    /// taken for the second before it (RFC 5545 §3.3.12). Nil where it says none.
    package init?(basic text: some StringProtocol) {
        var scanner = TimeScanner(text)
        guard let day = scanner.basicDay(), scanner.skip("T"), let hour = scanner.number(2),
            let minute = scanner.number(2), let second = scanner.number(2), scanner.isAtEnd, second <= 60
        else { return nil }
        self.init(day: day, hour: hour, minute: minute, second: min(second, 59))
    }

    /// The time as `2025-11-20T18:00:00`.
    package var extended: String { "\(day)T\(clock)" }

    /// The time to the minute, as people write it: `Thu 20 Nov 2025, 18:00`.
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
    /// Takes a date as `2025-11-20`; nil where none stands there.
    package mutating func day() -> Day? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else {
            return nil
        }
        return Day(year: year, month: month, day: day)
    }

    /// Takes a date as `20251120`; nil where none stands there.
    package mutating func basicDay() -> Day? {
        guard let year = number(4), let month = number(2), let day = number(2) else { return nil }
        return Day(year: year, month: month, day: day)
    }

    /// Takes a time of day as `18:00`, `18:00:00` or `18:00:00.250`; nil where none stands there. `24:00` is the next
    /// day's midnight.
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
