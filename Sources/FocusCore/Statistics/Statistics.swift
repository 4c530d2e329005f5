/// A history in numbers, by the days of a place. The phase in progress counts once it has ended, as in the history.
///
/// A phase that lies on several days gives each its part of the focus time, and is counted as completed on the day
/// it began.
package struct Statistics: Sendable {
    /// What a day held.
    package struct DayTotal: Hashable, Sendable {
        /// The day, by the calendar that the statistics were made with.
        package let day: Day
        /// Its part of the focus time, and how many completed phases began on it.
        package let total: FocusTotal
    }

    /// What was done under a label.
    package struct LabelTotal: Hashable, Sendable {
        /// Empty for work that had no name.
        package let label: String
        /// What was done at once under two labels is in both.
        package let total: FocusTotal
    }

    /// What was done under labels with a tag.
    package struct TagTotal: Hashable, Sendable {
        /// The tag with its sign: `#word` and `+word` are two.
        package let tag: LabelTag
        /// What was done under a label with two tags is in both.
        package let total: FocusTotal
    }

    /// The days on which something was, in order.
    package let days: [DayTotal]
    /// Every label that something was done under: the one with the most focus time first, equal ones by name.
    package let labels: [LabelTotal]
    /// Every tag of these, in the same order.
    package let tags: [TagTotal]

    /// - Parameters:
    ///   - records: Those of a history, in any order; the same record twice counts as two that ran at once.
    ///   - range: What lies outside these days is left out; nil leaves nothing out.
    ///   - choice: Only what was done under these labels counts.
    ///
    /// Cost: O(n log n) in the records' spans, and some questions to the calendar for each day that has something.
    package init(
        _ records: [PhaseRecord], _ calendar: LocalCalendar, in range: ClosedRange<Day>? = nil,
        of choice: WorkChoice = .all
    ) {
        let span = range.map { calendar.span(of: $0) } ?? Interval(from: .distantPast, to: .distantFuture)
        var tally = Tally(calendar)
        var spans: [Tally.Span] = []
        var completed: [PhaseRecord] = []
        spans.reserveCapacity(records.count)
        for record in records where record.activity == .work && choice.includes(record.label) {
            let name = tally.index(of: record.label)
            if record.outcome == .completed { completed.append(record) }
            for interval in record.spans.intervals {
                let part = Interval(from: max(interval.from, span.from), to: min(interval.to, span.to))
                if part.from < part.to { spans.append(Tally.Span(interval: part, label: name)) }
            }
        }
        tally.addFocus(&spans)
        tally.addCompleted(&completed, begunIn: span)
        days = tally.days
        labels = tally.labels
        tags = tally.tags
    }

    /// What was done on these days.
    ///
    /// Cost: linear in the days that have something.
    package func total(in range: ClosedRange<Day>) -> FocusTotal {
        days(in: range).reduce(into: FocusTotal()) { $0 += $1.total }
    }

    /// The days of `range` on which something was, in order. Cost: logarithmic.
    package func days(in range: ClosedRange<Day>) -> ArraySlice<DayTotal> {
        let first = firstIndex { $0 >= range.lowerBound }
        return days[first..<max(first, firstIndex { $0 > range.upperBound })]
    }

    private func firstIndex(_ isBeyond: (Day) -> Bool) -> Int {
        var low = 0
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(days[middle].day) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
