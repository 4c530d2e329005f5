/// Sources of records. Two that only look the same, being written with other scalars, are two.
package struct SourceSet: Sendable {
    private var sources: Set<[UInt8]> = []

    /// No sources.
    package init() {}

    /// Whether the source is among them, scalar for scalar. Cost: linear in its length.
    package func contains(_ source: String) -> Bool { sources.contains(Array(source.utf8)) }

    /// Adds a source; false where it was there.
    @discardableResult
    package mutating func insert(_ source: String) -> Bool { sources.insert(Array(source.utf8)).inserted }
}

extension Journal {
    /// The sources of all records that `record` events have added, those taken out of the history too.
    ///
    /// Cost: linear in them.
    package var sources: SourceSet {
        var sources = SourceSet()
        for fact in facts {
            if let source = fact.source { sources.insert(source) }
        }
        return sources
    }
}

/// What records were as others were first split off them (docs/timer-rules.md §4, `split`): by the times of its spans a part
/// that was split off is known again where the whole one has been brought already.
package struct SplitWholes: Sendable {
    private var wholes: [RecordName: PhaseRecord] = [:]

    /// Of what nobody has split.
    package init() {}

    /// Cost: linear in what people said of when it was; where they split anything, also in the records.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        var roots: [RecordName: RecordName] = [:]
        var split: Set<RecordName> = []
        var earlier: [RecordName: [TimeCorrection]] = [:]
        // What was moved after it was split says nothing any more of which part it was.
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

    /// The record that this one is the rest of, as it was before it was split; nil where it is none's, or where somebody has
    /// moved a part since.
    package func whole(of rest: RecordName) -> PhaseRecord? { wholes[rest] }
}
