package import FocusCore

/// A history by the days of a place.
package struct HistoryByDay: Sendable {
    /// What a day held.
    package struct Entry: Sendable {
        package let day: Day
        /// The records of the phases that began on it, by when they ended.
        package let records: [PhaseRecord]
        package let total: FocusTotal
    }

    /// The days on which something was, the first one first.
    package let days: [Entry]

    /// Cost: linear in the history, but for sorting it.
    package init(_ history: History, _ calendar: LocalCalendar) {
        var cursor = DayCursor(calendar)
        var records: [Day: [PhaseRecord]] = [:]
        for record in history.records {
            records[cursor.day(of: record.startedAt), default: []].append(record)
        }
        let totals = Statistics(history.records, calendar).days
        let totalOf = Dictionary(uniqueKeysWithValues: totals.map { ($0.day, $0.total) })
        days = Set(records.keys).union(totalOf.keys).sorted().map { day in
            Entry(day: day, records: records[day] ?? [], total: totalOf[day] ?? FocusTotal())
        }
    }
}
