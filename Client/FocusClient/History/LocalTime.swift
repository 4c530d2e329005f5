package import FocusCore
import Glibc

/// An instant as the calendar and the clocks of this place have it, by the C library's time zones.
package struct LocalTime: Hashable, Sendable {
    /// A day of the calendar.
    package struct Day: Hashable, Sendable {
        package let year: Int32
        /// 1…12.
        package let month: Int32
        /// 1…31.
        package let day: Int32
        /// 0…6, from Sunday.
        package let weekday: Int32
    }

    package let day: Day
    package let hour: Int32
    package let minute: Int32

    /// - Parameter instant: Milliseconds since the Unix epoch.
    package init(_ instant: Int64) {
        // localtime_r need not look at TZ by itself (POSIX, "localtime").
        tzset()
        var seconds = time_t(instant / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        day = Day(
            year: parts.tm_year + 1900, month: parts.tm_mon + 1, day: parts.tm_mday, weekday: parts.tm_wday)
        hour = parts.tm_hour
        minute = parts.tm_min
    }

    /// The hour and minute, as `09:05`.
    package var clock: String { "\(twoDigits(hour)):\(twoDigits(minute))" }
}

extension LocalTime.Day {
    /// From the day's first instant to the next day's, in milliseconds since the Unix epoch: 23 or 25 hours
    /// where the clocks change.
    package var span: Interval { Interval(from: midnight(after: 0), to: midnight(after: 1)) }

    /// The day as `2025-11-20` (ISO 8601).
    package var iso: String {
        let digits = "\(year)"
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            + "-\(twoDigits(month))-\(twoDigits(day))"
    }

    /// The day as people read it: `Thu 20 Nov 2025`.
    package var name: String {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let weekday = weekdays.dropFirst(Int(weekday)).first ?? ""
        let month = months.dropFirst(Int(month) - 1).first ?? ""
        return "\(weekday) \(day) \(month) \(year)"
    }

    private func midnight(after days: Int32) -> Int64 {
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = month - 1
        parts.tm_mday = day + days
        // To be found out: it may differ from what it is now.
        parts.tm_isdst = -1
        return Int64(mktime(&parts)) * 1000
    }
}

private func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
