package import FocusCore

/// The statistics of a history by local days (docs/timer-rules.md §6), in the simplest form.
///
/// It cuts time at every bound of an interval or day, and looks at each piece.
package struct NaiveDays {
    /// The focus time of each day.
    package private(set) var focus: [Day: Duration] = [:]
    /// For each day, the number of completed phases that count and began on it.
    package private(set) var completed: [Day: Int] = [:]
    /// The focus time of each hour of the day, by the clocks of the place.
    package private(set) var hours = [Duration](repeating: .zero, count: 24)
    /// The bounds of days that lie inside an interval of work.
    package private(set) var midnights: Set<SharedInstant> = []

    /// - Complexity: Quadratic in the number of intervals.
    package init(_ history: [NaiveRecord], _ calendar: LocalCalendar) {
        let work = history.filter { $0.activity == "work" }
        let intervals = work.flatMap(\.intervals)
        let ends = Set(intervals.flatMap { [$0.from, $0.to] })
        var starts: Set<SharedInstant> = []
        for interval in intervals {
            let first = calendar.day(of: interval.from)
            for number in 0...first.distance(to: calendar.day(of: interval.to)) {
                starts.insert(calendar.span(of: first.advanced(by: number)).from)
            }
        }
        midnights = starts.filter { start in intervals.contains { $0.from < start && start < $0.to } }
        let bounds = ends.union(starts).sorted()
        for (from, to) in zip(bounds, bounds.dropFirst())
        where intervals.contains(where: { $0.from <= from && to <= $0.to }) {
            focus[calendar.day(of: from), default: 0] += to - from
            addHours(from, to, calendar)
        }
        // A phase counts if the phases counted before it cover at most half of its running time.
        var counted: [NaiveInterval] = []
        for record in work where record.outcome == "completed" {
            let bounds = Set((record.intervals + counted).flatMap { [$0.from, $0.to] }).sorted()
            var (covered, all): (Duration, Duration) = (0, 0)
            for (from, to) in zip(bounds, bounds.dropFirst())
            where record.intervals.contains(where: { $0.from <= from && to <= $0.to }) {
                all += to - from
                if counted.contains(where: { $0.from <= from && to <= $0.to }) { covered += to - from }
            }
            guard covered * 2 <= all else { continue }
            counted += record.intervals
            completed[calendar.day(of: record.startedAt), default: 0] += 1
        }
    }

    /// Adds focus time to the hours. Cuts it at the hours by the clocks at its beginning and by those at its
    /// end: clocks change at a full hour.
    private mutating func addHours(_ from: SharedInstant, _ to: SharedInstant, _ calendar: LocalCalendar) {
        let hour: Int64 = 3_600_000
        var bounds: Set<SharedInstant> = [from, to]
        for offset in [calendar.offset(at: from), calendar.offset(at: to)].map(\.inMilliseconds) {
            let first = (from.milliseconds + offset).floored(by: hour).quotient
            let last = (to.milliseconds + offset).floored(by: hour).quotient
            for number in first...last {
                let bound = SharedInstant(milliseconds: number * hour - offset)
                if from < bound, bound < to { bounds.insert(bound) }
            }
        }
        let cuts = bounds.sorted()
        for (from, to) in zip(cuts, cuts.dropFirst()) {
            let shown = from.milliseconds + calendar.offset(at: from).inMilliseconds
            hours[Int(shown.floored(by: hour).quotient.floored(by: 24).rest)] += to - from
        }
    }
}
