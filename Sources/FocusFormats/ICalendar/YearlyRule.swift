import FocusCore
import FocusText

/// A rule for the day of each year on which a zone's clocks change: the part of RFC
/// 5545 §3.3.10 that zones use.
struct YearlyRule {
    private enum Choice {
        /// A day of the month.
        case date(Int64)
        /// The weekday (1 for Monday) with this number in the month. A negative number
        /// counts from the month's end.
        case weekday(Int, count: Int)
        /// The first such weekday on or after this day of the month.
        case weekdayFrom(Int, Int64)
    }

    private let month: Int64
    private let choice: Choice
    /// The time of day, by the clocks before the change.
    private let sinceMidnight: Duration
    /// The latest instant of a change; nil if the rule never ends.
    let until: SharedInstant?

    private static let weekdays = ["MO": 1, "TU": 2, "WE": 3, "TH": 4, "FR": 5, "SA": 6, "SU": 7]

    /// Parses a rule. Nil if it is of a kind that isn't supported.
    ///
    /// - Parameter first: The first change by this rule. It provides the parts that the text leaves out.
    init?(_ text: String, first: CivilTime) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            parts[String(sides[0])] = String(sides[1])
        }
        guard parts.removeValue(forKey: "FREQ") == "YEARLY",
            parts.removeValue(forKey: "INTERVAL") ?? "1" == "1"
        else { return nil }
        // The first day of the week makes no difference to a yearly rule without week numbers.
        parts["WKST"] = nil
        let clock = first.sinceMidnight.inSeconds
        guard let hour = YearlyRule.number(parts.removeValue(forKey: "BYHOUR"), clock / 3600, 0..<24),
            let minute = YearlyRule.number(parts.removeValue(forKey: "BYMINUTE"), clock / 60 % 60, 0..<60),
            let second = YearlyRule.number(parts.removeValue(forKey: "BYSECOND"), clock % 60, 0..<60)
        else { return nil }
        sinceMidnight = .seconds((hour * 60 + minute) * 60 + second)
        let date = first.day.date
        switch parts.removeValue(forKey: "UNTIL") {
        case nil: until = nil
        case let end?:
            // A time that isn't in UTC is by the zone's clocks. Reading it as UTC is off by less than a day.
            // No zone changes its clocks daily.
            let time = CivilTime(basic: end.hasSuffix("Z") ? end.dropLast() : end[...])
            guard let time = time ?? CivilTime(basic: "\(end)T235959") else { return nil }
            until = time.utc + .seconds(end.hasSuffix("Z") ? 0 : 86_400)
        }
        let month = parts.removeValue(forKey: "BYMONTH")
        guard let month = month.map({ Int64($0) }) ?? date.month, (1...12).contains(month) else { return nil }
        self.month = month
        let days = parts.removeValue(forKey: "BYMONTHDAY").map { $0.split(separator: ",").map { Int64($0) } }
        var weekday = parts.removeValue(forKey: "BYDAY")
        let place = parts.removeValue(forKey: "BYSETPOS")
        guard parts.isEmpty else { return nil }
        // BYSETPOS chooses one of the days that the other parts name.
        if let place {
            if days == nil, let day = weekday, YearlyRule.weekdays[day] != nil {
                weekday = place + day
            } else if !["1", "-1"].contains(place) {
                // The other parts name only one day: it is the first and the last, but no other.
                return nil
            }
        }
        switch (days, weekday) {
        case (nil, nil): choice = .date(date.day)
        case (let days?, nil):
            guard days.count == 1, case let day?? = days.first, (1...31).contains(day) else { return nil }
            choice = .date(day)
        case (nil, let weekday?):
            guard let day = YearlyRule.weekdays[String(weekday.suffix(2))],
                let count = Int(weekday.dropLast(2)), (1...5).contains(count.magnitude)
            else { return nil }
            choice = .weekday(day, count: count)
        case (let days?, let weekday?):
            // A weekday and seven consecutive days of the month: the weekday that is one of these days.
            let dates = days.compactMap { $0 }
            guard let day = YearlyRule.weekdays[weekday], let from = dates.min(), dates.count == 7,
                Set(dates) == Set(from...(from + 6)), (1...25).contains(from)
            else { return nil }
            choice = .weekdayFrom(day, from)
        }
    }

    /// Returns the time of the change in a year, by the clocks before it; nil if there is none.
    func change(in year: Int64) -> CivilTime? {
        day(in: year).map { CivilTime(utc: .midnight(of: $0) + sinceMidnight) }
    }

    /// Returns the number in a part of a rule, or `otherwise` if the part is missing; nil if it isn't a
    /// number in `range`.
    private static func number(_ text: String?, _ otherwise: Int64, _ range: Range<Int64>) -> Int64? {
        guard let text else { return otherwise }
        return Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Returns the day of the change in a year; nil if there is none.
    private func day(in year: Int64) -> Day? {
        guard let first = Day(year: year, month: month, day: 1) else { return nil }
        switch choice {
        case .date(let day): return Day(year: year, month: month, day: day)
        case .weekdayFrom(let weekday, let from):
            return YearlyRule.weekday(weekday, from: first.advanced(by: Int(from) - 1))
        case .weekday(let weekday, let count):
            let next =
                month == 12
                ? Day(year: year + 1, month: 1, day: 1) : Day(year: year, month: month + 1, day: 1)
            guard let next else { return nil }
            let day =
                count > 0
                ? YearlyRule.weekday(weekday, from: first).advanced(by: 7 * (count - 1))
                : YearlyRule.weekday(weekday, from: next.advanced(by: -7)).advanced(by: 7 * (count + 1))
            return (first..<next).contains(day) ? day : nil
        }
    }

    /// Returns the first such weekday on or after a day.
    private static func weekday(_ weekday: Int, from day: Day) -> Day {
        day.advanced(by: (weekday - day.weekday + 7) % 7)
    }
}
