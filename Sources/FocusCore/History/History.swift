/// The history at an instant (docs/timer-rules.md §6): a record for each phase that has ended, ordered by
/// `(endedAt, run, ordinal)`, with people's corrections applied.
package struct History: Hashable, Sendable {
    /// The records, in order. Records that an `amend` removed are left out.
    package let records: [PhaseRecord]

    /// Creates the history at `now` from the journal of a log. It includes the phases of the current run that
    /// are over by then.
    ///
    /// Cost: O(n log n) in the records.
    ///
    /// - Parameter isAsWorked: Whether corrections of times (`retime` and `split`) are left out.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant, isAsWorked: Bool = false) {
        var records = journal.phases(endedBy: now, state)
        var sources = SourceSet()
        // Of several added records with one source, the first counts.
        for fact in journal.facts where sources.insert(fact.source ?? "") { records.append(fact) }
        records.removeEarlierVersions()
        if !isAsWorked { records = records.corrected(by: journal.corrections) }
        // The last amendment of a record counts.
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
        // The records are usually in order already. The phases of a device that was cut off may end before
        // other records.
        let isSorted = records.indices.dropFirst().allSatisfy {
            !PhaseRecord.areInOrder(records[$0], records[$0 - 1])
        }
        self.records = isSorted ? records : records.sorted(by: PhaseRecord.areInOrder)
    }

    /// Returns all records of the journal, including duplicates, earlier versions and removed ones. Each
    /// record is there without corrections, with its corrected times, and with each label it was given.
    ///
    /// Cost: linear in the records.
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

    /// The time in which somebody worked: the union of the work phases' running intervals, in order and
    /// disjoint. So two machines that worked at once are not counted twice.
    ///
    /// Cost: O(n log n) in the intervals.
    package var focus: [Interval] {
        let intervals = records.lazy.filter { $0.activity == .work }.flatMap { $0.spans.intervals }
            .sorted { $0.from < $1.from }
        var union: [Interval] = []
        for interval in intervals { union.join(interval) }
        return union
    }

    /// Returns the focus time within `span`.
    ///
    /// Cost: O(n log n) in the intervals.
    package func focus(in span: Interval) -> Duration {
        focus.reduce(.zero) { $0 + max(.zero, min($1.to, span.to) - max($1.from, span.from)) }
    }
}

extension Journal {
    /// Returns the phases that have ended by `now`. The phases of the current run that are over by then come
    /// last.
    func phases(endedBy now: SharedInstant, _ state: ReplayState) -> [PhaseRecord] {
        var phases = phases.elements
        phases += state.phases(endedBy: now)
        return phases
    }
}

extension ReplayState {
    /// Returns the current run's phases that are over by `now`, although no event has ended them.
    package func phases(endedBy now: SharedInstant) -> [PhaseRecord] {
        var ended = EndedPhases()
        _ = advanced(to: now, &ended)
        return ended.records
    }
}

extension [Interval] {
    /// Adds an interval that begins no earlier than the last one. The intervals have to be in order and
    /// disjoint, and stay so.
    mutating func join(_ interval: Interval) {
        if let last, interval.from <= last.to {
            self[count - 1] = Interval(from: last.from, to: Swift.max(last.to, interval.to))
        } else {
            append(interval)
        }
    }
}
