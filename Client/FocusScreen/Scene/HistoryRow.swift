package import FocusCore
import FocusText
import FocusWords

/// A line of the history as the full-screen view lists it.
package enum HistoryRow: Hashable, Sendable {
    /// The day that the phases below it began on, with what was done on it, whatever is shown of it.
    case day(String, FocusTotal)
    case phase(PhaseRow)
}

/// A phase that has ended, as a line tells it.
package struct PhaseRow: Hashable, Sendable {
    /// What the record is named by.
    package let name: RecordName
    /// When it began and ended, as `09:05`.
    package let from: String
    /// When it ended, as `09:05`.
    package let to: String
    /// How long it was running.
    package let length: String
    /// What the phase was for.
    package let activity: Activity
    /// How it ended.
    package let outcome: Outcome
    /// What it was called; empty for none.
    package let label: String

    /// The line of a record.
    ///
    /// - Parameter clock: the hour and minute at an instant, as `09:05`.
    package init(_ record: PhaseRecord, clock: (SharedInstant) -> String) {
        name = record.name
        from = clock(record.startedAt)
        to = clock(record.endedAt)
        length = lengthText(record.active)
        activity = record.activity
        outcome = record.outcome
        label = record.label
    }
}
