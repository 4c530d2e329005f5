package import FocusCore
import FocusText

extension HistoryEntry {
    /// The entries that hold a record: one for each span in which it was running, and of a span of over a day for each
    /// day; the last with the phase's outcome, those before it as stopped, so that focus time and completed phases
    /// count the same.
    ///
    /// - Parameter whole: what the record was split off, if it was: its parts keep their sources, so that what is brought
    ///   whole and then in two isn't there twice.
    package static func parts(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        let intervals = record.spans.intervals.flatMap { $0.parts(of: Action.Record.longest) }
        let first = whole.map { parts(of: $0, splitOff: nil) } ?? []
        return intervals.enumerated().map { index, interval in
            HistoryEntry(
                activity: record.activity, interval: interval,
                outcome: index == intervals.count - 1 ? record.outcome : .stopped, label: record.label,
                source: record.source ?? SplitSource.source(of: interval, in: first, splitBy: record.run)
                    ?? PhasePart(record.name, index).source)
        }
    }

    /// The entry that holds a record as if it had not been paused.
    static func whole(of record: PhaseRecord) -> HistoryEntry? {
        guard let first = record.spans.intervals.first else { return nil }
        return HistoryEntry(
            activity: record.activity,
            interval: Interval(from: first.from, to: first.from + record.active),
            outcome: record.outcome, label: record.label, source: nil)
    }

    /// What adds the entry to a history under some source.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}

extension HistoryFormat {
    /// The entries that a file of this format holds a record as, before any of it is left out for want of room.
    ///
    /// - Parameter whole: what it was split off, if it was.
    package func entries(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        switch self {
        // A line there is a Pomodoro, and two would be counted as two.
        case .openPomodoro: HistoryEntry.whole(of: record).map { [$0] } ?? []
        case .csv, .ics, .timewarrior, .toggl: HistoryEntry.parts(of: record, splitOff: whole)
        }
    }
}
