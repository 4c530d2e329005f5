/// The work on single days of a history. It is computed only for the requested days, because a screen shows
/// few of many.
package struct DayTotals: Sendable {
    private let records: [PhaseRecord]
    private let calendar: LocalCalendar
    /// For each index of `records`, the earliest start among the record at this index and all later records.
    private let firstStart: [SharedInstant]

    /// Prepares the lookup of days. Cost: linear in the records.
    ///
    /// - Parameter history: The history to sum up.
    package init(_ history: History, _ calendar: LocalCalendar) { self.init(history.records, calendar) }

    /// Prepares the lookup of days for some records of a history, in its order. Cost: linear in the records.
    package init(_ records: [PhaseRecord], _ calendar: LocalCalendar) {
        self.records = records
        self.calendar = calendar
        var starts = [SharedInstant](repeating: .distantFuture, count: records.count)
        var first = SharedInstant.distantFuture
        for place in records.indices.reversed() {
            first = min(first, records[place].startedAt)
            starts[place] = first
        }
        firstStart = starts
    }

    /// Returns the work on a day. It equals the total of that day in `Statistics` of the whole history.
    ///
    /// Cost: that of `Statistics` for the records at `places(around:)`.
    package func total(on day: Day) -> FocusTotal {
        Statistics(records(around: day...day), calendar, in: day...day).total(in: day...day)
    }

    /// Returns the records that decide the work on some days, in order. The `Statistics` of these days need
    /// no others.
    ///
    /// Cost: as of `places`.
    package func records(around days: ClosedRange<Day>) -> [PhaseRecord] {
        Array(records[places(around: days)])
    }

    /// Returns the indices of the records that decide the work on a day. Cost: as of the other `places`.
    package func places(around day: Day) -> Range<Int> { places(around: day...day) }

    /// Returns the indices of the records that decide the work on some days. They include records that overlap the
    /// records of these days, directly or through other records: a phase may not count if another overlaps it.
    ///
    /// Cost: logarithmic in the records, and linear in the result.
    private func places(around days: ClosedRange<Day>) -> Range<Int> {
        let span = calendar.span(of: days)
        let end = firstPlace { firstStart[$0] >= span.to }
        var start = min(firstPlace { records[$0].endedAt > span.from }, end)
        // Records are ordered by their ends, so no record before this index reaches into the range.
        while start > 0, start < end, records[start - 1].endedAt > firstStart[start] { start -= 1 }
        return start..<end
    }

    /// Returns the first index at which a condition holds. It has to hold at all later indices too.
    private func firstPlace(where holds: (Int) -> Bool) -> Int {
        var low = 0
        var high = records.count
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
