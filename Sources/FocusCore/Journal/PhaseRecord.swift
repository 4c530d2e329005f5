/// What a phase that has ended leaves in the history (docs/timer-rules.md §6).
package struct PhaseRecord: Hashable, Sendable {
    /// The run whose phase it was; where an event added the record or split it off, that event's position.
    package internal(set) var run: RunID
    /// The number of the phase in its run, from 0; 0 where an event added the record or split it off.
    package internal(set) var ordinal: Int64
    /// When the phase began, running or not.
    package internal(set) var startedAt: SharedInstant
    /// When the phase ended, however it did: what a history is ordered by.
    package internal(set) var endedAt: SharedInstant
    /// What the work was called as the phase ended, or is by a correction since; cleaned (`Text`), empty where it has
    /// no name.
    package internal(set) var label: String
    /// The spans in which it was running.
    package internal(set) var spans: Spans
    /// What the phase was for: only work is focus time.
    package let activity: Activity
    /// How the phase ended: only completed work counts for the daily goal.
    package internal(set) var outcome: Outcome
    /// Where the fact comes from, where a `record` added it; nil for a phase of a run, and for what was split off.
    package internal(set) var source: String?

    /// A phase that wasn't completed leaves a record only where it was active this long.
    package static let shortestActive = Duration.seconds(1)

    /// What names the record.
    package var name: RecordName { RecordName(run: run, ordinal: ordinal) }

    /// How long the phase was running.
    package var active: Duration { spans.active }

    /// The order of a history: by `(endedAt, run, ordinal)`.
    package static func areInOrder(_ left: PhaseRecord, _ right: PhaseRecord) -> Bool {
        if left.endedAt != right.endedAt { return left.endedAt < right.endedAt }
        if left.run != right.run { return left.run < right.run }
        return left.ordinal < right.ordinal
    }
}

extension PhaseRecord {
    /// The record that a `record` event adds, or nil where it says nothing possible (§4, `record`).
    init?(_ record: Action.Record, of event: Event) {
        guard record.startedAt >= .zero, record.startedAt < record.endedAt, record.endedAt <= event.time,
            record.endedAt - record.startedAt <= Action.Record.longest, !Text.cleaned(record.source).isEmpty,
            let activity = Activity(rawValue: record.activity),
            let outcome = Outcome(rawValue: record.outcome)
        else { return nil }
        self.init(
            run: RunID(event.position), ordinal: 0, startedAt: record.startedAt, endedAt: record.endedAt,
            label: Text.cleaned(record.label),
            spans: .one(Interval(from: record.startedAt, to: record.endedAt)), activity: activity,
            outcome: outcome, source: record.source(at: event.position))
    }
}

/// What names a record of the history, and what an `amend` names: a phase of a run, or the event that added the record
/// and 0.
package struct RecordName: Hashable, Sendable {
    /// The run whose phase it was; of a record that an event added or split off, that event's position.
    package let run: RunID
    /// The number of the phase in its run, from 0; 0 where an event added or split off the record.
    package let ordinal: Int64

    /// The name of a run's phase, or, with 0, of the record that the event at this position added or split off.
    package init(run: RunID, ordinal: Int64) {
        self.run = run
        self.ordinal = ordinal
    }
}

extension Action.Amend {
    /// The record that is corrected.
    var name: RecordName { RecordName(run: run, ordinal: ordinal) }
}

extension RecordName {
    /// `run/ordinal`, as in `1763661600000.0@9f2c6a1b00d4e7aa/3`.
    package var text: String { "\(run.text)/\(ordinal)" }

    /// The record that `run/ordinal` names, or nil.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let run = RunID(text: String(parts[0])), let ordinal = Int64(parts[1])
        else { return nil }
        self.init(run: run, ordinal: ordinal)
    }
}

/// A span of a phase of a run: what the sources of records that come from runs name.
package struct PhasePart: Hashable, Sendable {
    /// The phase that the span is of.
    package let phase: RecordName
    /// 0 for the phase's first span.
    package let index: Int

    /// The span of this place among the phase's.
    package init(_ phase: RecordName, _ index: Int) {
        self.phase = phase
        self.index = index
    }

    /// The source that names it: `1763661600000.0@9f2c6a1b00d4e7aa/0/0`.
    package var source: String { "\(phase.run.text)/\(phase.ordinal)/\(index)" }
}
