/// The record that a phase leaves in the history when it ends (docs/timer-rules.md §6).
package struct PhaseRecord: Hashable, Sendable {
    /// The run of the phase. If an event added the record or split it off, it is the position of that event.
    package internal(set) var run: RunID
    /// The number of the phase in its run, from 0. It is 0 if an event added the record or split it off.
    package internal(set) var ordinal: Int64
    /// The instant at which the phase began, even if it wasn't running then.
    package internal(set) var startedAt: SharedInstant
    /// The end of the phase, however it ended. A history is ordered by it.
    package internal(set) var endedAt: SharedInstant
    /// The name of the work when the phase ended, or from a later correction. It is cleaned (`Text`), and
    /// empty if the work has no name.
    package internal(set) var label: String
    /// The spans in which the phase was running.
    package internal(set) var spans: Spans
    /// The purpose of the phase. Only work is focus time.
    package let activity: Activity
    /// The way in which the phase ended. Only completed work counts for the daily goal.
    package internal(set) var outcome: Outcome
    /// The origin of the fact if a `record` event added it. It is nil for a phase of a run, and for a record
    /// that was split off.
    package internal(set) var source: String?

    /// The shortest running time for which a phase that wasn't completed leaves a record.
    package static let shortestActive = Duration.seconds(1)

    /// The name of the record.
    package var name: RecordName { RecordName(run: run, ordinal: ordinal) }

    /// The total time that the phase was running.
    package var active: Duration { spans.active }

    /// Whether `left` comes before `right` in a history: by `(endedAt, run, ordinal)`.
    package static func areInOrder(_ left: PhaseRecord, _ right: PhaseRecord) -> Bool {
        if left.endedAt != right.endedAt { return left.endedAt < right.endedAt }
        if left.run != right.run { return left.run < right.run }
        return left.ordinal < right.ordinal
    }

    /// Whether `left` comes before `right` in a list for people: by the beginning, then as in a history.
    package static func beganInOrder(_ left: PhaseRecord, _ right: PhaseRecord) -> Bool {
        left.startedAt == right.startedAt ? areInOrder(left, right) : left.startedAt < right.startedAt
    }
}

extension PhaseRecord {
    /// Creates the record that a `record` event adds, or nil if the event isn't valid (docs/timer-rules.md
    /// §4, `record`).
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

/// The name of a record of the history, as an `amend` gives it: a run and the ordinal of a phase. For a
/// record that an event added or split off, it is the position of the event and 0.
package struct RecordName: Hashable, Sendable {
    /// The run of the phase. For a record that an event added or split off, it is the position of that event.
    package let run: RunID
    /// The number of the phase in its run, from 0. It is 0 for a record that an event added or split off.
    package let ordinal: Int64

    /// Creates the name of a run's phase or, with 0, of the record that the event at this position added or
    /// split off.
    package init(run: RunID, ordinal: Int64) {
        self.run = run
        self.ordinal = ordinal
    }
}

extension Action.Amend {
    /// The name of the corrected record.
    var name: RecordName { RecordName(run: run, ordinal: ordinal) }
}

extension RecordName {
    /// The name as `run/ordinal`, for example `1763661600000.0@9f2c6a1b00d4e7aa/3`.
    package var text: String { "\(run.text)/\(ordinal)" }

    /// Creates the name from `run/ordinal`, or nil for any other text.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let run = RunID(text: String(parts[0])), let ordinal = Int64(parts[1])
        else { return nil }
        self.init(run: run, ordinal: ordinal)
    }
}

/// A running span of a phase of a run. If a phase is copied as `record` events, each event's source names
/// such a span.
package struct PhasePart: Hashable, Sendable {
    /// The phase that the span belongs to.
    package let phase: RecordName
    /// The number of the span within the phase, from 0.
    package let index: Int

    /// Creates the part for the span with this number.
    package init(_ phase: RecordName, _ index: Int) {
        self.phase = phase
        self.index = index
    }

    /// The source that names the span, for example `1763661600000.0@9f2c6a1b00d4e7aa/0/0`.
    package var source: String { "\(phase.run.text)/\(phase.ordinal)/\(index)" }
}
