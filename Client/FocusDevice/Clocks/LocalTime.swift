package import FocusCore
package import FocusText
import SystemKit

/// The hour and minute that the clocks of this place show at an instant, by the C library's time zones.
package struct LocalTime: Hashable, Sendable {
    /// 0…23.
    package let hour: Int32
    /// 0…59.
    package let minute: Int32

    /// What they show at this instant.
    package init(_ instant: SharedInstant) {
        // localtime_r need not look at TZ by itself (POSIX, "localtime").
        tzset()
        let parts = tm(localAt: instant.seconds)
        hour = parts.tm_hour
        minute = parts.tm_min
    }

    /// As `09:05`.
    package var clock: String { ClockText.text(hour: hour, minute: minute) }
}

private enum ClockText {
    /// As `09:05`.
    static func text(hour: some BinaryInteger, minute: some BinaryInteger) -> String {
        "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension LocalCalendar {
    /// The days of this place, as TZ or the system's own setting say now.
    package static var here: LocalCalendar {
        tzset()
        return LocalCalendar { seconds in Int64(tm(localAt: seconds).tm_gmtoff) }
    }
}

extension LocalZone {
    /// The hour and minute at an instant, as `09:05`.
    package func clock(_ instant: SharedInstant) -> String {
        let minutes = time(at: instant).sinceMidnight.inSeconds / 60
        return ClockText.text(hour: minutes / 60, minute: minutes % 60)
    }

    /// The clocks of this place, as TZ or the system's own setting say now.
    package static var here: LocalZone {
        tzset()
        return LocalZone { seconds in Int64(tm(localAt: seconds).tm_gmtoff) }
    }
}

extension ZoneName {
    /// The time zone of this place at an instant, as TZ or the system's own setting say now.
    package static func here(at instant: SharedInstant) -> ZoneName {
        tzset()
        let parts = tm(localAt: instant.seconds)
        return ZoneName(
            abbreviation: parts.tm_zone.map { String(cString: $0) }, offset: Int64(parts.tm_gmtoff))
    }
}

extension tm {
    /// - Parameter seconds: Since the Unix epoch.
    fileprivate init(localAt seconds: Int64) {
        self.init()
        var time = time_t(seconds)
        localtime_r(&time, &self)
    }
}
