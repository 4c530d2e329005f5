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
