import FocusCore
import TestSupport

/// The calendar by which a world's people look at their history. At least one midnight lies within the world's
/// time. In some worlds the clocks change on the day before that midnight.
struct WorldTimeZone {
    let calendar: LocalCalendar
    /// The number of hours by which the day before the midnight is longer than 24. It may be negative.
    let extraHours: Int64

    private static let day: Int64 = 86_400_000

    /// - Parameter end: The end of the world, in microseconds since it began.
    init(until end: Int64, using dice: inout SeededGenerator) {
        let midnight = (SimulatedTime.epoch + .random(in: 0...max(1, end), using: &dice)) / 1000
        let extraHours = ([0, 0, 1, -1] as [Int64]).randomElement(using: &dice) ?? 0
        self.extraHours = extraHours
        // The number of the day that begins at the midnight.
        let number = midnight / WorldTimeZone.day
        let offset = midnight - number * WorldTimeZone.day
        let extra = Duration.seconds(extraHours * 3600)
        // The clocks change 12 hours before the midnight.
        let change = SharedInstant(milliseconds: midnight) - .seconds(12 * 3600)
        calendar = LocalCalendar(
            offset: { $0 < change ? extra - .milliseconds(offset) : .milliseconds(-offset) },
            start: { day in
                let start = SharedInstant(milliseconds: day.number * WorldTimeZone.day + offset)
                return day.number < number ? start - extra : start
            })
    }
}

extension World {
    /// Checks that the statistics by day equal those of `NaiveDays`.
    func checkDays(_ history: [NaiveRecord], _ records: [PhaseRecord]) {
        if history.count > World.comparedRecords { reach.count(.day, "the last of a long history") }
        // Both lists are in the same order, and earlier records don't influence later ones.
        let (history, records) = (
            Array(history.suffix(World.comparedRecords)), Array(records.suffix(World.comparedRecords))
        )
        let naive = NaiveDays(history, timeZone.calendar)
        let statistics = Statistics(records, timeZone.calendar)
        for midnight in naive.midnights {
            let day = timeZone.calendar.day(of: midnight - .milliseconds(1))
            let length = midnight - timeZone.calendar.span(of: day).from
            reach.count(.day, "worked across the end of one of \(length.inSeconds / 3600) hours")
        }
        let focus = Dictionary(
            statistics.days.filter { $0.total.focus > 0 }.map { ($0.day, $0.total.focus) }
        ) { $1 }
        require(focus == naive.focus, "a day has the time that was worked on it, once") {
            "\(focus), not \(naive.focus)"
        }
        let completed = Dictionary(
            statistics.days.filter { $0.total.completed > 0 }.map { ($0.day, $0.total.completed) }
        ) { $1 }
        require(completed == naive.completed, "a day has the phases that were completed on it, once") {
            "\(completed), not \(naive.completed)"
        }
        require(
            statistics.hours == naive.hours, "an hour of the day has the time that was worked in it, once"
        ) {
            "\(statistics.hours), not \(naive.hours)"
        }
        checkLabels(history, statistics)
    }

    /// Checks each label and tag: its totals must equal those of a history that has only its records.
    private func checkLabels(_ history: [NaiveRecord], _ statistics: Statistics) {
        func total(of part: [NaiveRecord]) -> FocusTotal? {
            let naive = NaiveDays(part, timeZone.calendar)
            let total = FocusTotal(
                focus: naive.focus.values.reduce(0, +), completed: naive.completed.values.reduce(0, +))
            return total == FocusTotal() ? nil : total
        }
        let labels = Dictionary(grouping: history, by: \.label).compactMapValues(total)
        let shown = Dictionary(statistics.labels.map { ($0.label, $0.total) }) { $1 }
        require(shown == labels, "a label has the time that was worked under it, once") {
            "\(shown), not \(labels)"
        }
        let words = Set(history.flatMap { $0.label.split(separator: " ") }).filter { $0.first == "#" }
        let tags = Dictionary(
            uniqueKeysWithValues: words.compactMap { word in
                total(of: history.filter { $0.label.split(separator: " ").contains(word) }).map {
                    (String(word), $0)
                }
            })
        let shownTags = Dictionary(statistics.tags.map { ($0.tag.text, $0.total) }) { $1 }
        require(shownTags == tags, "a tag has the time that was worked under it, once") {
            "\(shownTags), not \(tags)"
        }
    }

    /// The number of records at the end of a history that are compared. `NaiveDays` is slow on longer
    /// histories.
    private static let comparedRecords = 250
}
