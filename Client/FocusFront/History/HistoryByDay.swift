package import FocusCore

/// A history by the days of a place.
package struct HistoryByDay: Sendable {
    /// What a day held.
    package struct Entry: Sendable {
        /// Which day it was.
        package let day: Day
        /// The records of the phases that began on it, by when they ended.
        package let records: [PhaseRecord]
        /// What was done on it, phases that began on another day included.
        package let total: FocusTotal
    }

    /// The days on which something was, the first one first.
    package let days: [Entry]

    /// - Parameters:
    ///   - records: Those of a history, by when they ended.
    ///   - range: Other days are left out; nil leaves none out.
    ///
    /// Cost: linear in the records, but for sorting them.
    package init(_ records: [PhaseRecord], _ calendar: LocalCalendar, in range: ClosedRange<Day>? = nil) {
        var cursor = DayCursor(calendar)
        var recordsOf: [Day: [PhaseRecord]] = [:]
        for record in records {
            let day = cursor.day(of: record.startedAt)
            if range?.contains(day) ?? true { recordsOf[day, default: []].append(record) }
        }
        let totals = Statistics(records, calendar, in: range).days
        let totalOf = Dictionary(uniqueKeysWithValues: totals.map { ($0.day, $0.total) })
        days = Set(recordsOf.keys).union(totalOf.keys).sorted().map { day in
            Entry(day: day, records: recordsOf[day] ?? [], total: totalOf[day] ?? FocusTotal())
        }
    }
}
