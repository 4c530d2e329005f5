/// A history in numbers, by the days of a place. As in the history, the phase in progress counts only after
/// it has ended.
///
/// A phase on several days adds its part of the focus time to each. It counts as completed on the day on
/// which it began.
package struct Statistics: Sendable {
    /// The work on a day.
    package struct DayTotal: Hashable, Sendable {
        /// The day, in the calendar of the statistics.
        package let day: Day
        /// The focus time on that day, and the number of completed phases that began on it.
        package let total: FocusTotal
    }

    /// The work under a label.
    package struct LabelTotal: Hashable, Sendable {
        /// The label, which is empty for work without a name.
        package let label: String
        /// The work under that label. Work at the same time under two labels is in both.
        package let total: FocusTotal
    }

    /// The work under labels with a tag.
    package struct TagTotal: Hashable, Sendable {
        /// The tag with its sign: `#word` and `+word` are different.
        package let tag: LabelTag
        /// The work with that tag. Work under a label with two tags is in both.
        package let total: FocusTotal
    }

    /// The days with work, in order.
    package let days: [DayTotal]
    /// The labels with work, by descending focus time, then by name.
    package let labels: [LabelTotal]
    /// The tags with work, in the same order.
    package let tags: [TagTotal]
    /// The focus time in each hour of the day, from 0 to 23, by the place's clocks. An hour that the clocks
    /// show twice on a day gets both.
    package let hours: [Duration]

    /// Computes the statistics. Cost: O(n log n) in the records' spans, and a few lookups in the calendar for
    /// each day with work.
    ///
    /// - Parameters:
    ///   - records: Records of a history, in any order. The same record twice counts as two that ran at once.
    ///   - range: The days to include, or nil for all days.
    ///   - choice: The work to include.
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
            record.spans.forEach { interval in
                let part = Interval(from: max(interval.from, span.from), to: min(interval.to, span.to))
                if part.from < part.to { spans.append(Tally.Span(interval: part, label: name)) }
            }
        }
        tally.addFocus(&spans)
        tally.addCompleted(&completed, begunIn: span)
        days = tally.days
        labels = tally.labels
        tags = tally.tags
        hours = tally.hours.sums
    }

    /// Returns the work on these days.
    ///
    /// Cost: linear in the days with work.
    package func total(in range: ClosedRange<Day>) -> FocusTotal {
        days(in: range).reduce(into: FocusTotal()) { $0 += $1.total }
    }

    /// Returns the days of `range` with work, in order. Cost: logarithmic.
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

/// The work in some stretch of time.
package struct FocusTotal: Hashable, Sendable {
    /// The focus time. Work on two machines at once counts once (docs/timer-rules.md §6).
    package var focus: Duration
    /// The number of completed work phases that began in it. Of phases that two machines completed at once,
    /// only one counts (docs/timer-rules.md §6).
    package var completed: Int

    /// Creates a total, which is zero by default.
    package init(focus: Duration = .zero, completed: Int = 0) {
        self.focus = focus
        self.completed = completed
    }

    /// Adds the work in another stretch of time. If the two overlap, the shared work counts twice.
    package static func += (total: inout FocusTotal, other: FocusTotal) {
        total.focus += other.focus
        total.completed += other.completed
    }
}

extension Statistics {
    /// A bar of a chart: a day, week, month or year, and the work in it.
    package struct Bar: Hashable, Sendable {
        /// Whether it is for a day, a week, a month or a year.
        package let unit: CalendarUnit
        /// The days of the bar, without the days outside the requested range.
        package let days: ClosedRange<Day>
        /// The work on these days, which may be none.
        package let total: FocusTotal

        /// The ISO 8601 name of the bar: `2025-11-20`, `2025-W47`, `2025-11`, `2025`.
        package var name: String { unit.name(around: days.lowerBound) }
    }

    /// Returns a bar for each unit that overlaps `range`, including units without work.
    ///
    /// Cost: linear in the bars, and in the days with work.
    package func bars(by unit: CalendarUnit, in range: ClosedRange<Day>) -> [Bar] {
        var bars: [Bar] = []
        var first = range.lowerBound
        while first <= range.upperBound {
            let days = first...min(unit.days(around: first).upperBound, range.upperBound)
            bars.append(Bar(unit: unit, days: days, total: total(in: days)))
            first = days.upperBound.advanced(by: 1)
        }
        return bars
    }
}
