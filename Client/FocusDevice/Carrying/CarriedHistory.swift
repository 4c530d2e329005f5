package import FocusCore
import FocusFormats

/// The history of a log as `record`s, by which it is carried into another log: on import, and from a device's
/// own log when it joins a group that has one.
///
/// Each carries a source made of the run and phase it comes from, so that carrying it twice adds it once;
/// what was carried before keeps its source. A phase that was paused becomes a record for each of its
/// intervals, since a record has just one (`HistoryEntry.parts`).
package struct CarriedHistory: Sendable {
    /// One for each interval of each phase that has ended, by when the phase ended.
    package let records: [Action.Record]
    /// What they are made of, by when it ended.
    let phases: [PhaseRecord]
    private let wholes: SplitWholes

    /// The records that `journal` and `state` come to at `now`.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        phases = History(journal, state, at: now).records.filter { $0.endedAt <= now }
        wholes = SplitWholes(journal, state, at: now)
        records = CarriedHistory.records(of: phases, wholes)
    }

    /// The records but for those that one phase is made into, which goes on.
    package func records(besides phase: RecordName?) -> [Action.Record] {
        guard let phase else { return records }
        return CarriedHistory.records(of: phases.filter { $0.name != phase }, wholes)
    }

    private static func records(of phases: [PhaseRecord], _ wholes: SplitWholes) -> [Action.Record] {
        phases.flatMap { HistoryEntry.parts(of: $0, splitOff: wholes.whole(of: $0.name)) }
            .compactMap { entry in entry.source.map(entry.record) }
    }

    /// The actions that carry the records into a log that holds records of `sources` already. What was split since it was
    /// brought there whole is there.
    package func actions(besides sources: SourceSet) -> [Action] {
        records.filter { !sources.hasHad($0.source) }.map { .record($0) }
    }
}
