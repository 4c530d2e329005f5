package import FocusCore
import FocusFront
import FocusText

/// A row of the history in the full-screen view.
package enum HistoryRow: Hashable, Sendable {
    /// The heading of a day: its name, and its total over the listed phases.
    case day(String, FocusTotal)
    case phase(PhaseRow)
}

/// A finished phase, as a row shows it.
package struct PhaseRow: Hashable, Sendable {
    /// The record's name.
    package let name: RecordName
    /// The time of its beginning, such as `09:05`.
    package let from: String
    /// The time of its end, such as `09:05`.
    package let to: String
    /// The length of its running time.
    package let length: String
    /// Work or a kind of break.
    package let activity: Activity
    /// The way it ended.
    package let outcome: Outcome
    /// Its label; may be empty.
    package let label: String
    /// The name of the other laptop that began or added it; nil if it is this one, or isn't known or shown.
    package let laptop: String?

    /// The row of a record.
    ///
    /// - Parameters:
    ///   - laptop: The name of the other laptop that began the phase, or nil.
    ///   - clock: Returns the hour and minute of an instant, such as `09:05`.
    package init(_ record: PhaseRecord, on laptop: String? = nil, clock: (SharedInstant) -> String) {
        self.laptop = laptop
        name = record.name
        from = clock(record.startedAt)
        to = clock(record.endedAt)
        length = lengthText(record.active)
        activity = record.activity
        outcome = record.outcome
        label = record.label
    }
}
