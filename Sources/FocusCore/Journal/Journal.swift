/// What replay found for the history, in replay order. It is kept raw, so that a replay that goes back to a
/// checkpoint can cut it there; `History` is what it comes to.
package struct Journal: HistorySink, Sendable {
    /// How long a journal was at some point of the log.
    package struct Mark: Hashable, Sendable {
        fileprivate var phases = 0
        fileprivate var facts = 0
        fileprivate var amendments = 0
        fileprivate var corrections = 0

        /// The mark of an empty journal.
        package init() {}
    }

    private(set) var phases = BlockList<PhaseRecord>()
    /// What `record` events that say something possible add, in their order.
    private(set) var facts: [PhaseRecord] = []
    private(set) var amendments: [Action.Amend] = []
    /// What people have said of when records were, in replay order.
    private(set) var corrections: [TimeCorrection] = []

    /// The journal of an empty log.
    package init() {}

    /// Adds what a phase left as it ended.
    package mutating func phaseEnded(_ record: PhaseRecord) { phases.append(record) }

    /// Adds what a `record` event says, also where another had the same source before: `History` takes the first.
    package mutating func recorded(_ record: PhaseRecord) { facts.append(record) }

    /// Adds a correction, also of a record that isn't there: `History` goes by the last one of each.
    package mutating func amended(_ amend: Action.Amend) { amendments.append(amend) }

    /// Adds what somebody says of when a record was: `History` lets these act in the order in which they came here.
    package mutating func corrected(_ correction: TimeCorrection) { corrections.append(correction) }

    /// The records that the last `amend` of each takes out of the history.
    package var removed: Set<RecordName> {
        var removed: Set<RecordName> = []
        for amend in amendments {
            if amend.removed == true { removed.insert(amend.name) } else { removed.remove(amend.name) }
        }
        return removed
    }

    /// How many phases have left a record.
    package var phaseCount: Int { phases.count }

    /// How long the journal is now.
    package var mark: Mark {
        var mark = Mark()
        mark.phases = phases.count
        mark.facts = facts.count
        mark.amendments = amendments.count
        mark.corrections = corrections.count
        return mark
    }

    /// Forgets what came after `mark`, which is one of this journal's own.
    package mutating func cut(to mark: Mark) {
        phases.cut(to: mark.phases)
        facts.removeLast(max(0, facts.count - mark.facts))
        amendments.removeLast(max(0, amendments.count - mark.amendments))
        corrections.removeLast(max(0, corrections.count - mark.corrections))
    }
}
