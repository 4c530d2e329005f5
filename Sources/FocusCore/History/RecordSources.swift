/// A set of the sources of records (docs/timer-rules.md §4, `record`). Sources that look the same but consist
/// of other scalars are different.
package struct SourceSet: Sendable {
    private var sources: Set<[UInt8]> = []

    /// Creates an empty set.
    package init() {}

    /// Whether the set has the source, compared scalar for scalar. Cost: linear in the length of the source.
    package func contains(_ source: String) -> Bool { sources.contains(Array(source.utf8)) }

    /// Adds a source. Returns false if the set had it already.
    @discardableResult
    package mutating func insert(_ source: String) -> Bool { sources.insert(Array(source.utf8)).inserted }
}

extension Journal {
    /// The sources of all records that `record` events have added, including records that were removed from
    /// the history.
    ///
    /// Cost: linear in the records.
    package var sources: SourceSet {
        var sources = SourceSet()
        for fact in facts {
            if let source = fact.source { sources.insert(source) }
        }
        return sources
    }
}

/// A lookup from each record that was split off another to the whole record before the split
/// (docs/timer-rules.md §4, `split`).
///
/// When a record that was split off is exported, the sources of its entries are made from the sources of the
/// whole's entries. A log that already has the whole recognizes them, and doesn't add the entries again.
package struct SplitWholes: Sendable {
    private var wholes: [RecordName: PhaseRecord] = [:]

    /// Creates the lookup for a history in which no record was split.
    package init() {}

    /// Creates the lookup for a log. Cost: linear in the corrections of times, and in the records if any was
    /// split.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        // For each record that was split off, directly or from another such record, the whole.
        var roots: [RecordName: RecordName] = [:]
        // The wholes: records that were split, and not split off another.
        var split: Set<RecordName> = []
        // The corrections of a whole's times before its first split.
        var earlier: [RecordName: [TimeCorrection]] = [:]
        // Wholes of which a part got other times after the split. The parts' times no longer show which part
        // of the whole they are.
        var moved: Set<RecordName> = []
        for correction in journal.corrections {
            let root = roots[correction.name] ?? correction.name
            switch correction.change {
            case .times:
                guard split.contains(root) else {
                    earlier[root, default: []].append(correction)
                    continue
                }
                moved.insert(root)
            case .split:
                split.insert(root)
                roots[RecordName(run: correction.second, ordinal: 0)] = root
            }
        }
        let wanted = split.subtracting(moved)
        guard !wanted.isEmpty else { return }
        var records: [RecordName: PhaseRecord] = [:]
        for record in journal.phases(endedBy: now, state) + journal.facts where wanted.contains(record.name) {
            records[record.name] = [record].corrected(by: earlier[record.name] ?? []).first
        }
        for (second, root) in roots { wholes[second] = records[root] }
    }

    /// Returns the whole record, before the split, from which `rest` was split off. Returns nil if `rest`
    /// wasn't split off, or if a part got other times since.
    package func whole(of rest: RecordName) -> PhaseRecord? { wholes[rest] }
}
