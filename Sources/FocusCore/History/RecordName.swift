/// What names a record of the history, and what an `amend` names: a phase of a run, or the event that added the record
/// and 0.
package struct RecordName: Hashable, Sendable {
    package let run: RunID
    package let ordinal: Int64

    package init(run: RunID, ordinal: Int64) {
        self.run = run
        self.ordinal = ordinal
    }
}

extension Action.Amend {
    /// The record that is corrected.
    var name: RecordName { RecordName(run: run, ordinal: ordinal) }
}
