package import FocusCore

extension LocalCalendar {
    /// The days of Berlin by the rule since 1996: one hour ahead of UTC, and two from the last Sunday of
    /// March to the last Sunday of October.
    package static let berlin = LocalCalendar { day in
        let (year, _, _) = day.date
        func lastSunday(_ month: Int64) -> Day? {
            Day(year: year, month: month, day: 31).map { $0.advanced(by: -($0.weekday % 7)) }
        }
        guard let spring = lastSunday(3), let autumn = lastSunday(10) else {
            return .midnight(of: day)
        }
        // The clocks change at night, after these days have begun.
        let hours: Int64 = day > spring && day <= autumn ? 2 : 1
        return SharedInstant(seconds: (day.number * 24 - hours) * 3600)
    }
}
