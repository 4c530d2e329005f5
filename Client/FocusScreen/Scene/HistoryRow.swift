package import FocusCore
package import FocusFront
import FocusText
import FocusWords

/// A line of the history as the full-screen view lists it.
package enum HistoryRow: Hashable, Sendable {
    /// The day that the phases below it began on, with what was done on it, whatever is shown of it.
    case day(String, FocusTotal)
    case phase(PhaseRow)

    /// What its place in the list is kept by; nil for a heading.
    package var id: String? {
        switch self {
        case .day: nil
        case .phase(let phase): phase.id
        }
    }

    /// The rows, newest first, of the phases that `filter` lets through.
    ///
    /// - Parameter clock: The hour and minute at an instant, as `09:05`.
    package static func rows(
        _ days: [HistoryByDay.Entry], filter: String, clock: (SharedInstant) -> String
    ) -> [HistoryRow] {
        let words = filter.lowercased().split(separator: " ")
        return days.reversed().flatMap { day -> [HistoryRow] in
            let phases = day.records.reversed().map { PhaseRow($0, clock: clock) }
                .filter { phase in words.allSatisfy { phase.isMatched(by: $0) } }
            return phases.isEmpty ? [] : [.day(day.day.name, day.total)] + phases.map(HistoryRow.phase)
        }
    }
}

/// A phase that has ended, as a line tells it.
package struct PhaseRow: Hashable, Sendable {
    /// What the record is named by.
    package let name: RecordName
    /// What its place in the list is kept by: the record's name as text.
    package var id: String { name.text }
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

    fileprivate func isMatched(by word: Substring) -> Bool {
        label.lowercased().contains(word) || activity.words.contains(word)
            || outcome.rawValue.contains(word)
    }
}
