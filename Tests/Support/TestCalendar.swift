package import FocusCore

extension LocalCalendar {
    /// The days of Berlin by the rule since 1996: one hour ahead of UTC, and two from the last Sunday of
    /// March to the last Sunday of October.
    package static let berlin = LocalCalendar(
        offset: { instant in
            // The changes are far from the turn of the year, so the year in UTC decides.
            let year = Day(number: instant.seconds.floored(by: 86_400).quotient).date.year
            guard let (spring, autumn) = LocalCalendar.changes(in: year) else { return .zero }
            let hour = Duration.seconds(3600)
            let isSummer =
                SharedInstant.midnight(of: spring) + hour <= instant
                && instant < SharedInstant.midnight(of: autumn) + hour
            return isSummer ? hour * 2 : hour
        },
        start: { day in
            guard let (spring, autumn) = LocalCalendar.changes(in: day.date.year) else {
                return .midnight(of: day)
            }
            // The clocks change at night, after these days have begun.
            let hours: Int64 = day > spring && day <= autumn ? 2 : 1
            return SharedInstant(seconds: (day.number * 24 - hours) * 3600)
        })

    /// Returns the days on which Berlin's clocks change at 01:00 UTC.
    private static func changes(in year: Int64) -> (spring: Day, autumn: Day)? {
        func lastSunday(_ month: Int64) -> Day? {
            Day(year: year, month: month, day: 31).map { $0.advanced(by: -($0.weekday % 7)) }
        }
        guard let spring = lastSunday(3), let autumn = lastSunday(10) else { return nil }
        return (spring, autumn)
    }
}
