/// Adds work up, by day, by label and by tag.
struct Tally {
    /// A span in which a work phase was running.
    struct Span {
        let interval: Interval
        /// The label's number.
        let label: Int
    }

    /// What has been added up of some of the work.
    private struct Part {
        var total = FocusTotal()
        /// Up to where its focus time has been added.
        var end = SharedInstant.distantPast
        var counted = CountedPhases()

        /// Adds what of a span is new; they come in order.
        mutating func add(_ interval: Interval) {
            guard interval.to > end else { return }
            total.focus += interval.to - max(interval.from, end)
            end = interval.to
        }

        /// Counts a completed phase, where it is within the span that is asked for; they come in the order of a history.
        mutating func count(_ spans: Spans, isWithin: Bool) {
            if counted.count(spans), isWithin { total.completed += 1 }
        }
    }

    private struct Label {
        let name: String
        /// The numbers of its tags.
        let tags: [Int]
        var part = Part()
    }

    private struct Tag {
        let tag: LabelTag
        var part = Part()
    }

    private var cursor: DayCursor
    private var totals: [Day: FocusTotal] = [:]
    private var entries: [Label] = []
    private var indexes: [String: Int] = [:]
    private var tagEntries: [Tag] = []
    private var tagIndexes: [LabelTag: Int] = [:]
    private var last: (name: String, index: Int)?

    init(_ calendar: LocalCalendar) { cursor = DayCursor(calendar) }

    /// The label's number. Most phases have the label of the one before.
    mutating func index(of name: String) -> Int {
        if let last, last.name == name { return last.index }
        let index = indexes[name] ?? entries.count
        if index == entries.count {
            entries.append(Label(name: name, tags: LabelTag.tags(of: name).map { self.index(of: $0) }))
            indexes[name] = index
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

    /// Adds those of the completed phases that count and began within `span` to the days, and those of each label's and
    /// tag's to that. Sorts them.
    mutating func addCompleted(_ phases: inout [PhaseRecord], begunIn span: Interval) {
        phases.sort(by: PhaseRecord.areInOrder)
        var counted = CountedPhases()
        for phase in phases {
            let (label, start) = (index(of: phase.label), phase.startedAt)
            let isWithin = span.from <= start && start < span.to
            if counted.count(phase.spans), isWithin {
                totals[cursor.day(of: start), default: FocusTotal()].completed += 1
            }
            entries[label].part.count(phase.spans, isWithin: isWithin)
            for tag in entries[label].tags { tagEntries[tag].part.count(phase.spans, isWithin: isWithin) }
        }
    }

    /// Adds the union of the spans to the days, and that of each label's and tag's to that. Sorts them.
    mutating func addFocus(_ spans: inout [Span]) {
        spans.sort { $0.interval.from < $1.interval.from }
        var end = SharedInstant.distantPast
        for span in spans {
            let (from, to) = (span.interval.from, span.interval.to)
            entries[span.label].part.add(span.interval)
            for tag in entries[span.label].tags { tagEntries[tag].part.add(span.interval) }
            guard to > end else { continue }
            cursor.split(Interval(from: max(from, end), to: to)) { day, part in
                totals[day, default: FocusTotal()].focus += part.length
            }
            end = to
        }
    }

    var days: [Statistics.DayTotal] {
        totals.map { Statistics.DayTotal(day: $0.key, total: $0.value) }.sorted { $0.day < $1.day }
    }

    var labels: [Statistics.LabelTotal] {
        entries.filter { $0.part.total != FocusTotal() }
            .map { Statistics.LabelTotal(label: $0.name, total: $0.part.total) }
            .sorted { ($1.total.focus, $0.label) < ($0.total.focus, $1.label) }
    }

    var tags: [Statistics.TagTotal] {
        tagEntries.filter { $0.part.total != FocusTotal() }
            .map { Statistics.TagTotal(tag: $0.tag, total: $0.part.total) }
            .sorted { ($1.total.focus, $0.tag) < ($0.total.focus, $1.tag) }
    }
}
