/// Adds work up, by day and by label.
struct Tally {
    /// A span in which a work phase was running.
    struct Span {
        let interval: Interval
        /// The label's number.
        let label: Int
    }

    private struct Label {
        let name: String
        var total = FocusTotal()
        /// Up to where its focus time has been added.
        var end = Int64.min
        var counted = CountedPhases()
    }

    private var cursor: DayCursor
    private var totals: [Day: FocusTotal] = [:]
    private var entries: [Label] = []
    private var indexes: [String: Int] = [:]
    private var last: (name: String, index: Int)?

    init(_ calendar: LocalCalendar) { cursor = DayCursor(calendar) }

    /// The label's number. Most phases have the label of the one before.
    mutating func index(of name: String) -> Int {
        if let last, last.name == name { return last.index }
        let index = indexes[name] ?? entries.count
        if index == entries.count {
            entries.append(Label(name: name))
            indexes[name] = index
        }
        last = (name, index)
        return index
    }

    /// Adds those of the completed phases that count and began within `span` to the days, and those of each label's to
    /// the label. Sorts them.
    mutating func addCompleted(_ phases: inout [PhaseRecord], begunIn span: Interval) {
        phases.sort(by: PhaseRecord.areInOrder)
        var counted = CountedPhases()
        for phase in phases {
            let (label, start) = (index(of: phase.label), phase.startedAt)
            let isWithin = span.from <= start && start < span.to
            if counted.count(phase.spans), isWithin {
                totals[cursor.day(of: start), default: FocusTotal()].completed += 1
            }
            if entries[label].counted.count(phase.spans), isWithin { entries[label].total.completed += 1 }
        }
    }

    /// Adds the union of the spans to the days, and that of each label's to the label. Sorts them.
    mutating func addFocus(_ spans: inout [Span]) {
        spans.sort { $0.interval.from < $1.interval.from }
        var end = Int64.min
        for span in spans {
            let (from, to) = (span.interval.from, span.interval.to)
            let seen = entries[span.label].end
            if to > seen {
                entries[span.label].total.focus += to - max(from, seen)
                entries[span.label].end = to
            }
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
        entries.filter { $0.total != FocusTotal() }
            .map { Statistics.LabelTotal(label: $0.name, total: $0.total) }
            .sorted { ($1.total.focus, $0.label) < ($0.total.focus, $1.label) }
    }
}
