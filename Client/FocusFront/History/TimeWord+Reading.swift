import CommandLineKit
import FocusCore
import FocusText

extension CivilTime {
    /// The same time of the next day.
    var nextDay: CivilTime { CivilTime(utc: utc + TimeWord.day) }
}

extension TimeWord {
    /// Parses a word, such as `9:30`, `2025-11-20 9:30` or `2025-11-20T09:30:00Z`. Nil if it names no time.
    package init?(_ word: String) {
        var scanner = TimeScanner(TimeWord.padded(word))
        if let clock = scanner.clock(on: Day(number: 0)), scanner.isAtEnd {
            self = .today(clock.utc - .midnight(of: Day(number: 0)))
        } else if let time = CivilTime(extended: TimeWord.paddedAfterDay(word)) {
            self = .local(time)
        } else if word.contains(":"), let instant = InstantText.parse(word) {
            self = .instant(instant)
        } else {
            return nil
        }
    }

    /// Returns 09:30 for 9:30.
    static func padded(_ clock: some StringProtocol) -> String {
        clock.utf8.dropFirst().first == UInt8(ascii: ":") ? "0\(clock)" : String(clock)
    }

    /// Returns 2025-11-20 09:30 for 2025-11-20 9:30.
    private static func paddedAfterDay(_ word: String) -> String {
        let parts = word.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? "\(parts[0]) \(padded(parts[1]))" : word
    }

    /// Returns the instant that the word names.
    ///
    /// - Parameter shown: An instant that the person sees. If the local clocks show the word's time twice,
    ///   and one of the two is this instant's minute, the person means that one.
    /// - Throws: `CommandFailure` if the local clocks never show the time, or show it twice.
    func instant(
        _ now: SharedInstant, _ zone: LocalZone, shown: SharedInstant? = nil
    ) throws(CommandFailure) -> SharedInstant {
        switch self {
        case .instant(let instant): return instant
        case .local(let time): return try TimeWord.instant(time, zone, shown)
        case .today(let sinceMidnight):
            let midnight = SharedInstant.midnight(of: zone.time(at: now).day)
            return try TimeWord.instant(CivilTime(utc: midnight + sinceMidnight), zone, shown)
        }
    }

    private static func instant(
        _ time: CivilTime, _ zone: LocalZone, _ shown: SharedInstant?
    ) throws(CommandFailure) -> SharedInstant {
        let reading = zone.reading(of: time)
        if let minute = shown?.minute, reading.instants.contains(minute) { return minute }
        switch reading {
        case .once(let instant): return instant
        case .never:
            throw CommandFailure(
                "There is no \(time.name) here: the clocks go forward over it.", .usage)
        case .twice(let first, let second):
            throw CommandFailure(
                "\(time.name) comes twice here, because the clocks go back: write \(zone.text(first)) or "
                    + "\(zone.text(second)).", .usage)
        }
    }
}
