/// The entries that replay found for the history, in replay order. They are kept raw, so that a replay that
/// goes back to a checkpoint can cut the journal there. `History` applies the corrections.
package struct Journal: HistorySink, Sendable {
    /// The lengths of a journal's lists at some point of the log.
    package struct Mark: Hashable, Sendable {
        fileprivate var phases = 0
        fileprivate var facts = 0
        fileprivate var amendments = 0
        fileprivate var corrections = 0

        /// Creates the mark of an empty journal.
        package init() {}
    }

    /// The records of phases of runs, in replay order.
    private(set) var phases = BlockList<PhaseRecord>()
    /// The records of valid `record` events, in replay order.
    private(set) var facts: [PhaseRecord] = []
    /// People's other corrections, in replay order.
    private(set) var amendments: [Action.Amend] = []
    /// People's corrections of times, in replay order.
    private(set) var corrections: [TimeCorrection] = []

    /// Creates the journal of an empty log.
    package init() {}

    /// Adds the record of a phase that ended.
    package mutating func phaseEnded(_ record: PhaseRecord) { phases.append(record) }

    /// Adds the record of a `record` event, even if an earlier one has the same source. `History` uses the
    /// first.
    package mutating func recorded(_ record: PhaseRecord) { facts.append(record) }

    /// Adds a correction, even of a record that doesn't exist. `History` uses the last one for each record.
    package mutating func amended(_ amend: Action.Amend) { amendments.append(amend) }

    /// Adds a correction of times. `History` applies these corrections in the order in which they were added.
    package mutating func corrected(_ correction: TimeCorrection) { corrections.append(correction) }

    /// The names of the records that are removed from the history. The last `amend` of each record counts.
    package var removed: Set<RecordName> {
        var removed: Set<RecordName> = []
        for amend in amendments {
            if amend.removed == true { removed.insert(amend.name) } else { removed.remove(amend.name) }
        }
        return removed
    }

    /// The number of phases that left a record.
    package var phaseCount: Int { phases.count }

    /// The present lengths of the journal's lists.
    package var mark: Mark {
        var mark = Mark()
        mark.phases = phases.count
        mark.facts = facts.count
        mark.amendments = amendments.count
        mark.corrections = corrections.count
        return mark
    }

    /// Removes the entries that were added after `mark`, which must be a mark of this journal.
    package mutating func cut(to mark: Mark) {
        phases.cut(to: mark.phases)
        facts.removeLast(max(0, facts.count - mark.facts))
        amendments.removeLast(max(0, amendments.count - mark.amendments))
        corrections.removeLast(max(0, corrections.count - mark.corrections))
    }
}

/// A receiver of the phases that ended.
package protocol PhaseSink {
    mutating func phaseEnded(_ record: PhaseRecord)
}

/// A receiver of the entries that replay finds for the history.
package protocol HistorySink: PhaseSink {
    /// Receives the record of a valid `record` event. Of several with the same source, the first counts.
    mutating func recorded(_ record: PhaseRecord)
    mutating func amended(_ amend: Action.Amend)
    /// Receives a valid `retime`, or a `split`.
    mutating func corrected(_ correction: TimeCorrection)
}

/// A sink that keeps nothing, for a replay that needs only the state.
package struct NoHistory: HistorySink {
    // An empty value has no memory. In code that isn't optimised, the thread sanitizer still reads from its address.
    private let filler: UInt8 = 0

    /// Creates the sink.
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

/// The phases that end while a run is brought forward to an instant. They enter the history only if that
/// result is kept (docs/timer-rules.md §4, "Looking and keeping").
struct EndedPhases: PhaseSink {
    // Usually at most one phase ends, which needs no array.
    private var first: PhaseRecord?
    private var rest: [PhaseRecord] = []

    mutating func phaseEnded(_ record: PhaseRecord) {
        if first == nil { first = record } else { rest.append(record) }
    }

    var records: [PhaseRecord] { (first.map { [$0] } ?? []) + rest }

    /// Passes the phases to `history`, in order.
    func move(to history: inout some PhaseSink) {
        guard let first else { return }
        history.phaseEnded(first)
        for record in rest { history.phaseEnded(record) }
    }
}

/// A list of values that grows and is cut at its end. The values are in blocks that are never moved. So a
/// long list needs little more memory than its values, unlike a growing array.
package struct BlockList<Element: Sendable>: Sendable {
    private static var blockSize: Int { 1024 }

    /// The blocks, which are full except for the last one.
    private var blocks: [[Element]] = []
    /// The number of values.
    package private(set) var count = 0

    /// Creates an empty list.
    package init() {}

    /// Appends a value. Cost: constant.
    package mutating func append(_ element: Element) {
        if count % BlockList.blockSize == 0 {
            var block: [Element] = []
            // The first block grows as an array does, because most lists are short.
            if count > 0 { block.reserveCapacity(BlockList.blockSize) }
            blocks.append(block)
        }
        blocks[blocks.count - 1].append(element)
        count += 1
    }

    /// Keeps the first `count` values, or all if there are fewer.
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
