/// What was done on single days of a history, worked out day by day as it is asked for: a screen shows few days of many.
package struct DayTotals: Sendable {
    private let records: [PhaseRecord]
    private let calendar: LocalCalendar
    /// For each place in the records when the first phase began of those from there on.
    private let firstStart: [SharedInstant]

    /// - Parameter history: What was done.
    ///
    /// Cost: linear in the records, of which it reads two instants each.
    package init(_ history: History, _ calendar: LocalCalendar) {
        records = history.records
        self.calendar = calendar
        var starts = [SharedInstant](repeating: .distantFuture, count: records.count)
        var first = SharedInstant.distantFuture
        for place in records.indices.reversed() {
            first = min(first, records[place].startedAt)
            starts[place] = first
        }
        firstStart = starts
    }

    /// What was done on a day: as `Statistics` of the whole history has it.
    ///
    /// Cost: as `Statistics` of the records that `places(around:)` gives.
    package func total(on day: Day) -> FocusTotal {
        Statistics(Array(records[places(around: day)]), calendar, in: day...day).total(in: day...day)
    }

    /// Where the records stand that say what was done on a day: those that lie on it, and those that ran at once with
    /// them or one another, since of these some don't count.
    ///
    /// Cost: logarithmic in the records, and linear in the places.
    package func places(around day: Day) -> Range<Int> {
        let span = calendar.span(of: day)
        let end = firstPlace { firstStart[$0] >= span.to }
        var start = min(firstPlace { records[$0].endedAt > span.from }, end)
        // Records are in the order in which they ended, so nothing before this place reaches into what is here.
        while start > 0, start < end, records[start - 1].endedAt > firstStart[start] { start -= 1 }
        return start..<end
    }

    /// The first place at which a condition holds that holds at all after it too.
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
