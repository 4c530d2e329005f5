package import FocusCore

/// A history by the days of this place.
package struct HistoryByDay: Sendable {
    /// What a day held.
    package struct Day: Sendable {
        package let day: LocalTime.Day
        /// The records of the phases that began on it, by when they ended.
        package fileprivate(set) var records: [PhaseRecord] = []
        /// The focus time within it, in milliseconds.
        package fileprivate(set) var focus: Int64 = 0

        /// How many work phases that began on it were completed.
        package var completed: Int {
            records.count { $0.activity == .work && $0.outcome == .completed }
        }
    }

    /// The days on which something was, the first one first.
    package let days: [Day]

    /// Cost: linear in the history, but for sorting it.
    package init(_ history: History) {
        var days: [LocalTime.Day: Day] = [:]
        for record in history.records {
            let day = LocalTime(record.startedAt).day
            days[day, default: Day(day: day)].records.append(record)
        }
        for interval in history.focus {
            // A phase may lie on several days.
            var from = interval.from
            while from < interval.to {
                let day = LocalTime(from).day
                let midnight = day.span.to
                let end = midnight > from ? min(interval.to, midnight) : interval.to
                days[day, default: Day(day: day)].focus += end - from
                from = end
            }
        }
        self.days = days.values.sorted { $0.day.iso < $1.day.iso }
    }
}
