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

/// What was done in some stretch of time.
package struct FocusTotal: Hashable, Sendable {
    /// The focus time: what two machines did at once counts once (docs/timer-rules.md §6).
    package var focus: Duration
    /// How many work phases that began in it were completed: of what two machines completed at once, one counts
    /// (docs/timer-rules.md §6).
    package var completed: Int

    /// So much focus time, and so many completed work phases; unless said otherwise, nothing.
    package init(focus: Duration = .zero, completed: Int = 0) {
        self.focus = focus
        self.completed = completed
    }

    /// Adds what was done in another stretch of time. The two may not overlap, or what they share counts twice.
    package static func += (total: inout FocusTotal, other: FocusTotal) {
        total.focus += other.focus
        total.completed += other.completed
    }
}

extension Statistics {
    /// A day, week, month or year and what was done in it: a bar of a chart.
    package struct Bar: Hashable, Sendable {
        /// Whether it is for a day, a week, a month or a year.
        package let unit: CalendarUnit
        /// Its days, less those outside the range that was asked for.
        package let days: ClosedRange<Day>
        /// What was done on these days, which may be nothing.
        package let total: FocusTotal

        /// How ISO 8601 writes it: `2025-11-20`, `2025-W47`, `2025-11`, `2025`.
        package var name: String { unit.name(around: days.lowerBound) }
    }

    /// A bar for each of the units that `range` lies on, those without anything too.
    ///
    /// Cost: linear in the bars, and in the days that have something.
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

/// Days in a row on which the daily goal was met. The goal is the one of now, for the days of the past too.
package struct Streak: Hashable, Sendable {
    /// Those up to today, or up to yesterday where today's goal isn't met yet; nil where there are none.
    package let current: ClosedRange<Day>?
    /// The longest of all, the latest where several are as long; nil where the goal was never met.
    package let longest: ClosedRange<Day>?

    /// - Parameter goal: So many completed work phases a day. Nil where it is 0: no goal, no streak.
    ///
    /// Cost: linear in the days that have something.
    package init?(_ statistics: Statistics, goal: Int64, today: Day) {
        guard goal > 0 else { return nil }
        var longest: ClosedRange<Day>?
        var latest: ClosedRange<Day>?
        var current: ClosedRange<Day>?
        for day in statistics.days where day.day <= today && day.total.completed >= goal {
            let isNext = latest?.upperBound.advanced(by: 1) == day.day
            let row = (isNext ? latest?.lowerBound ?? day.day : day.day)...day.day
            if row.count >= longest?.count ?? 0 { longest = row }
            if row.upperBound.distance(to: today) <= 1 { current = row }
            latest = row
        }
        self.longest = longest
        self.current = current
    }
}
