/// Sums of work by day, by label and by tag.
struct Tally {
    /// A span in which a work phase was running.
    struct Span {
        let interval: Interval
        /// The number of the label.
        let label: Int
    }

    /// The sum of the work under one label or tag.
    private struct WorkSum {
        var total = FocusTotal()
        /// The instant up to which focus time has been added.
        var end = SharedInstant.distantPast
        var counter = PhaseCounter()

        /// Adds the part of a span that wasn't added before. The spans have to come in order.
        mutating func add(_ interval: Interval) {
            guard interval.to > end else { return }
            total.focus += interval.to - max(interval.from, end)
            end = interval.to
        }

        /// Counts a completed phase if it is within the requested span. The phases have to come in the order
        /// of a history.
        mutating func count(_ spans: Spans, isWithin: Bool) {
            if counter.count(spans), isWithin { total.completed += 1 }
        }
    }

    private struct Label {
        let name: String
        /// The numbers of its tags.
        let tags: [Int]
        var sum = WorkSum()
    }

    private struct Tag {
        let tag: LabelTag
        var sum = WorkSum()
    }

    private var cursor: DayCursor
    /// The focus time by the hour of the day.
    private(set) var hours: HourSums
    private var totals: [Day: FocusTotal] = [:]
    /// The labels so far. A label's number is its index.
    private var labelEntries: [Label] = []
    private var labelIndexes: [String: Int] = [:]
    /// The tags so far. A tag's number is its index.
    private var tagEntries: [Tag] = []
    private var tagIndexes: [LabelTag: Int] = [:]
    /// The label that was looked up last, with its number.
    private var last: (name: String, index: Int)?

    init(_ calendar: LocalCalendar) {
        cursor = DayCursor(calendar)
        hours = HourSums(calendar)
    }

    /// Returns the number of the label. Most phases have the same label as the phase before.
    mutating func index(of name: String) -> Int {
        if let last, last.name == name { return last.index }
        let index = labelIndexes[name] ?? labelEntries.count
        if index == labelEntries.count {
            labelEntries.append(Label(name: name, tags: LabelTag.tags(of: name).map { self.index(of: $0) }))
            labelIndexes[name] = index
        }
        last = (name, index)
        return index
    }

    private mutating func index(of tag: LabelTag) -> Int {
        let index = tagIndexes[tag] ?? tagEntries.count
        if index == tagEntries.count {
            tagEntries.append(Tag(tag: tag))
            tagIndexes[tag] = index
        }
        return index
    }

    /// Adds completed phases to the totals of their days, labels and tags, if they began within `span`.
    /// `PhaseCounter` decides which phases count. Sorts `phases`.
    mutating func addCompleted(_ phases: inout [PhaseRecord], begunIn span: Interval) {
        phases.sort(by: PhaseRecord.areInOrder)
        var counter = PhaseCounter()
        for phase in phases {
            let (label, start) = (index(of: phase.label), phase.startedAt)
            let isWithin = span.from <= start && start < span.to
            if counter.count(phase.spans), isWithin {
                totals[cursor.day(of: start), default: FocusTotal()].completed += 1
            }
            labelEntries[label].sum.count(phase.spans, isWithin: isWithin)
            for tag in labelEntries[label].tags { tagEntries[tag].sum.count(phase.spans, isWithin: isWithin) }
        }
    }

    /// Adds focus time to the totals. A day gets the union of all spans on it; a label or tag gets the union
    /// of its own spans. Sorts `spans`.
    mutating func addFocus(_ spans: inout [Span]) {
        spans.sort { $0.interval.from < $1.interval.from }
        var end = SharedInstant.distantPast
        for span in spans {
            let (from, to) = (span.interval.from, span.interval.to)
            labelEntries[span.label].sum.add(span.interval)
            for tag in labelEntries[span.label].tags { tagEntries[tag].sum.add(span.interval) }
            guard to > end else { continue }
            let added = Interval(from: max(from, end), to: to)
            cursor.split(added) { day, part in totals[day, default: FocusTotal()].focus += part.length }
            hours.add(added)
            end = to
        }
    }

    var days: [Statistics.DayTotal] {
        totals.map { Statistics.DayTotal(day: $0.key, total: $0.value) }.sorted { $0.day < $1.day }
    }

    var labels: [Statistics.LabelTotal] {
        labelEntries.filter { $0.sum.total != FocusTotal() }
            .map { Statistics.LabelTotal(label: $0.name, total: $0.sum.total) }
            .sorted { ($1.total.focus, $0.label) < ($0.total.focus, $1.label) }
    }

    var tags: [Statistics.TagTotal] {
        tagEntries.filter { $0.sum.total != FocusTotal() }
            .map { Statistics.TagTotal(tag: $0.tag, total: $0.sum.total) }
            .sorted { ($1.total.focus, $0.tag) < ($0.total.focus, $1.tag) }
    }
}

/// A filter for completed phases that ran at the same time. A phase counts if at least half of it isn't
/// covered by the phases counted before it (docs/timer-rules.md §6). So two machines that were cut off from
/// each other don't meet a goal twice.
struct PhaseCounter {
    /// The intervals in which the counted phases were running, in order and disjoint.
    private var covered: [Interval] = []

    /// Adds the next phase in the order of a history, and returns whether it counts.
    ///
    /// Cost: linear in its intervals, and in the phases counted since it began.
    mutating func count(_ spans: Spans) -> Bool {
        guard let from = spans.start else { return true }
        // Most phases begin when all others are over. They need no arrays.
        if covered.last.map({ $0.to <= from }) ?? true {
            spans.forEach { covered.join($0) }
            return true
        }
        let intervals = spans.intervals
        // No interval before this index can overlap the phase.
        let first = (covered.lastIndex { $0.to < from }).map { $0 + 1 } ?? 0
        guard overlap(with: intervals, from: first) * 2 <= spans.active else { return false }
        cover(intervals, from: first)
        return true
    }

    /// Returns how long the intervals overlap the covered ones from the index `first` on.
    private func overlap(with intervals: [Interval], from first: Int) -> Duration {
        var place = first
        var overlap = Duration.zero
        for interval in intervals {
            while place < covered.count, covered[place].to <= interval.from { place += 1 }
            var next = place
            while next < covered.count, covered[next].from < interval.to {
                overlap += min(covered[next].to, interval.to) - max(covered[next].from, interval.from)
                next += 1
            }
        }
        return overlap
    }

    /// Adds the intervals to the covered ones, from the index `first` on.
    private mutating func cover(_ intervals: [Interval], from first: Int) {
        let beside = covered[first...] + intervals
        covered.removeSubrange(first...)
        for interval in beside.sorted(by: { $0.from < $1.from }) { covered.join(interval) }
    }
}

extension [PhaseRecord] {
    /// The names of the completed work phases that don't count (`PhaseCounter`). The records have to be in the
    /// order of a history.
    ///
    /// Cost: linear in the records, apart from overlaps.
    package var uncounted: Set<RecordName> {
        var counter = PhaseCounter()
        var names: Set<RecordName> = []
        for record in self where record.activity == .work && record.outcome == .completed {
            if !counter.count(record.spans) { names.insert(record.name) }
        }
        return names
    }
}
