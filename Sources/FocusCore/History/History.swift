/// The history at an instant (docs/timer-rules.md §6): a record for each phase that has ended, in order of
/// `(endedAt, run, ordinal)`, corrected as people said.
package struct History: Hashable, Sendable {
    /// The records, in order; those that an `amend` took out aren't here.
    package let records: [PhaseRecord]

    /// What the journal of a log comes to at `now`: with the phases of the current run that are over by then.
    ///
    /// Cost: O(n log n) in the records.
    ///
    /// - Parameter isAsWorked: Whether what people said of when it was is left out.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant, isAsWorked: Bool = false) {
        var records = journal.phases(endedBy: now, state)
        var sources = SourceSet()
        for fact in journal.facts where sources.insert(fact.source ?? "") { records.append(fact) }
        records.removeEarlierVersions()
        if !isAsWorked { records = records.corrected(by: journal.corrections) }
        var decisive: [RecordName: Action.Amend] = [:]
        for amend in journal.amendments {
            decisive[amend.name] = amend
        }
        if !decisive.isEmpty {
            records = records.compactMap { record in
                guard let amend = decisive[record.name] else { return record }
                if amend.removed == true { return nil }
                var amended = record
                if let label = amend.label { amended.label = Text.cleaned(label) }
                return amended
            }
        }
        // They mostly are in order already: whoever was cut off ends phases before others' that came earlier.
        let isSorted = records.indices.dropFirst().allSatisfy {
            !PhaseRecord.areInOrder(records[$0], records[$0 - 1])
        }
        self.records = isSorted ? records : records.sorted(by: PhaseRecord.areInOrder)
    }

    /// All that the history has been told, whatever became of it: every record as it was before any correction, with the
    /// times that it was given, and once more under each label that a correction gave it; those that were taken out too.
    ///
    /// Cost: linear in them.
    package static func told(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) -> [PhaseRecord]
    {
        var records = journal.phases(endedBy: now, state) + journal.facts
        if !journal.corrections.isEmpty { records += records.corrected(by: journal.corrections) }
        var labels: [RecordName: Set<String>] = [:]
        for amend in journal.amendments {
            if let label = amend.label { labels[amend.name, default: []].insert(Text.cleaned(label)) }
        }
        guard !labels.isEmpty else { return records }
        return records.flatMap { record in
            [record]
                + (labels[record.name] ?? []).map { label in
                    var renamed = record
                    renamed.label = label
                    return renamed
                }
        }
    }

    /// When somebody worked: the union of the work phases' running intervals, in order and apart from each
    /// other, so that two machines that worked at once are not counted twice.
    ///
    /// Cost: O(n log n) in the intervals.
    package var focus: [Interval] {
        let intervals = records.lazy.filter { $0.activity == .work }.flatMap { $0.spans.intervals }
            .sorted { $0.from < $1.from }
        var union: [Interval] = []
        for interval in intervals { union.join(interval) }
        return union
    }

    /// The focus time within `span`.
    ///
    /// Cost: O(n log n) in the intervals.
    package func focus(in span: Interval) -> Duration {
        focus.reduce(.zero) { $0 + max(.zero, min($1.to, span.to) - max($1.from, span.from)) }
    }
}

extension Journal {
    /// The phases that have ended at an instant, those of the current run that are over by then at the end.
    func phases(endedBy now: SharedInstant, _ state: ReplayState) -> [PhaseRecord] {
        var phases = phases.elements
        phases += state.phases(endedBy: now)
        return phases
    }
}

extension ReplayState {
    /// The current run's phases that are over at an instant though no event has said so.
    package func phases(endedBy now: SharedInstant) -> [PhaseRecord] {
        var ended = EndedPhases()
        _ = advanced(to: now, &ended)
        return ended.records
    }
}

extension [Interval] {
    /// Adds an interval that begins no earlier than the last one, to intervals in order and apart from each other, which
    /// they stay.
    mutating func join(_ interval: Interval) {
        if let last, interval.from <= last.to {
            self[count - 1] = Interval(from: last.from, to: Swift.max(last.to, interval.to))
        } else {
            append(interval)
        }
    }
}
