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

/// Where phases that have ended go.
package protocol PhaseSink {
    mutating func phaseEnded(_ record: PhaseRecord)
}

/// Where replay puts what it finds for the history.
package protocol HistorySink: PhaseSink {
    /// A `record` event that says something possible; of several with one source the first counts.
    mutating func recorded(_ record: PhaseRecord)
    mutating func amended(_ amend: Action.Amend)
    /// A `retime` that says something possible, or a `split`.
    mutating func corrected(_ correction: TimeCorrection)
}

/// For replay that only wants the state.
package struct NoHistory: HistorySink {
    /// A sink that keeps nothing.
    package init() {}
    /// Drops the record.
    package mutating func phaseEnded(_ record: PhaseRecord) {}
    /// Drops the record.
    package mutating func recorded(_ record: PhaseRecord) {}
    /// Drops the correction.
    package mutating func amended(_ amend: Action.Amend) {}
    /// Drops the correction.
    package mutating func corrected(_ correction: TimeCorrection) {}
}

/// Phases that a look at a run found to have ended: they become history only where the look is kept.
struct EndedPhases: PhaseSink {
    // Most looks find one phase at most, which then needs no array.
    private var first: PhaseRecord?
    private var rest: [PhaseRecord] = []

    mutating func phaseEnded(_ record: PhaseRecord) {
        if first == nil { first = record } else { rest.append(record) }
    }

    var records: [PhaseRecord] { (first.map { [$0] } ?? []) + rest }

    func move(to history: inout some PhaseSink) {
        guard let first else { return }
        history.phaseEnded(first)
        for record in rest { history.phaseEnded(record) }
    }
}

/// Values in a row that grows and is cut at its end. They stand in blocks that are never moved, so a long row takes
/// the memory of what it holds and, unlike a growing array, little more.
package struct BlockList<Element: Sendable>: Sendable {
    private static var blockSize: Int { 1024 }

    /// All are full but the last.
    private var blocks: [[Element]] = []
    /// How many values there are.
    package private(set) var count = 0

    /// An empty list.
    package init() {}

    /// Cost: constant.
    package mutating func append(_ element: Element) {
        if count % BlockList.blockSize == 0 {
            var block: [Element] = []
            // The first grows as an array does: most rows are short.
            if count > 0 { block.reserveCapacity(BlockList.blockSize) }
            blocks.append(block)
        }
        blocks[blocks.count - 1].append(element)
        count += 1
    }

    /// Keeps the first `count` values, or all where there are fewer.
    package mutating func cut(to count: Int) {
        while count < self.count, let filled = blocks.last?.count {
            let dropped = min(filled, self.count - count)
            self.count -= dropped
            if dropped == filled {
                blocks.removeLast()
            } else {
                blocks[blocks.count - 1].removeLast(dropped)
            }
        }
    }

    /// The values as one array.
    package var elements: [Element] { Array(blocks.joined()) }
}
