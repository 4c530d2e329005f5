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

/// For each record that was split off another, the whole record as it was before the split
/// (docs/timer-rules.md §4, `split`). If the part is exported, its entries keep the sources that they have in
/// the whole. So a log that already has the whole doesn't add the part to it.
package struct SplitWholes: Sendable {
    private var wholes: [RecordName: PhaseRecord] = [:]

    /// Creates the lookup for a history in which no record was split.
    package init() {}

    /// Creates the lookup for a log. Cost: linear in the corrections of times, and in the records if any was
    /// split.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        // For each part, the record that was split first.
        var roots: [RecordName: RecordName] = [:]
        var split: Set<RecordName> = []
        // The corrections of times before a record was split first.
        var earlier: [RecordName: [TimeCorrection]] = [:]
        // Records that were moved after they were split: their times no longer show which part of the whole
        // they are.
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
    /// wasn't split off, or if a part was moved since.
    package func whole(of rest: RecordName) -> PhaseRecord? { wholes[rest] }
}
