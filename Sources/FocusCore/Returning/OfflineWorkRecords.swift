/// The records of work that a device showed while it was cut off, and that the merged history lacks. They are
/// the last events that the device writes on returning (docs/timer-rules.md §5).
package struct OfflineWorkRecords: Hashable, Sendable {
    /// The actions that the device authors, in this order.
    package private(set) var actions: [Action] = []
    /// The total work in the records.
    package private(set) var work = Duration.zero

    /// Works out the records. Cost: linear in the events after the last press on each noted run, and
    /// O(n log n) in the history.
    ///
    /// - Parameters:
    ///   - shown: The note from before the other devices' events were merged.
    ///   - journal: The entries that replaying `log` found for the history, including the device's events on
    ///     returning.
    ///   - state: The state after that replay.
    ///   - own: All replicas under which this device has written.
    ///   - hasLostSetting: Whether a setting that was changed while the device was cut off was taken back. If
    ///     so, the device's own runs no longer use that setting.
    ///   - continuesPhase: Whether the phase in progress continues in a run of its own (`PhaseContinuation`).
    package init<Log: ReplayLog>(
        _ shown: OfflineWorkNote, besides journal: Journal, _ state: ReplayState, in log: borrowing Log,
        own: Set<ReplicaID>, hasLostSetting: Bool, continuesPhase: Bool, at now: SharedInstant
    ) throws(Log.Failure) {
        let history = History(journal, state, at: now)
        // The history without corrections of times.
        let worked = History(journal, state, at: now, isAsWorked: true)
        let removed = journal.removed
        // The device's own runs with other phases in the history than it showed, and their records, which are
        // removed.
        var changed: Set<RunID> = []
        var replaced: Set<RecordName> = []
        if hasLostSetting {
            let records = Dictionary(grouping: worked.records.filter { $0.source == nil }) { $0.run }
            for run in shown.runs where run.isOwnAndEnded && run.differs(from: records[run.id] ?? []) {
                changed.insert(run.id)
                let names = journal.corrections.withSplitParts((records[run.id] ?? []).map { $0.name })
                replaced.formUnion(names)
                for name in names {
                    actions.append(
                        .amend(Action.Amend(run: name.run, ordinal: name.ordinal, removed: true)))
                }
            }
        }
        // The events written now get a greater stamp than all others, so their records may end this late.
        let end = max(now, state.latestEffect)
        // The work and breaks that stay in the history, the phase in progress included.
        let others = history.records.filter { !replaced.contains($0.name) } + state.phaseInProgress(at: now)
        // A moved record is in the history at its new times, but the device showed it at its original times.
        let corrected = Set(journal.corrections.map { $0.name })
        var moved: [RecordName: Spans] = [:]
        for record in worked.records where corrected.contains(record.name) && moved[record.name] == nil {
            if !replaced.contains(record.name) { moved[record.name] = record.spans }
        }
        var work = Coverage(others.intervals { !$0.isBreak })
        var breaks = Coverage(others.intervals { $0.isBreak })
        for run in shown.runs {
            // The records of a changed run were removed above, so all of its phases are recorded again.
            let isReplaced = changed.contains(run.id)
            // The person may have been at another device from the first press there on.
            let pressElsewhere = try isReplaced ? nil : run.firstPressElsewhere(in: log, own)
            let span = Interval(from: run.from, to: min(pressElsewhere ?? end, end))
            // If only a part of a run is missing, its breaks aren't worth a record.
            for phase in run.phases
            where !removed.contains(phase.name)
                && (!phase.activity.isBreak || isReplaced || run.isOfAnotherLog)
            {
                let intervals = phase.spans.intervals.map { Interval(from: $0.from, to: min($0.to, end)) }
                // The run is from the log before the device joined its group. Its phase in progress isn't
                // continued, so all of it is recorded, even if the history covers it.
                if run.isOfAnotherLog, !continuesPhase {
                    add(phase, intervals.filter { $0.length > .zero }, .phaseParts(existing: journal.sources))
                    continue
                }
                var known = phase.activity.isBreak ? breaks : work
                if let spans = moved[phase.name] { known.add(spans.intervals) }
                let lacking = isReplaced ? intervals : known.lacking(phase.spans.intervals, within: span)
                let shortest = run.isOfAnotherLog ? PhaseRecord.shortestActive : OfflineWorkNote.shortest
                add(phase, lacking.filter { $0.length >= shortest }, .whileOffline)
            }
            work.add(run.phases.intervals { !$0.isBreak })
            breaks.add(run.phases.intervals { $0.isBreak })
        }
    }

    /// The value of the field `source` in the records of a phase.
    private enum SourceKind {
        /// `Action.Record.whileOffline` in each record.
        case whileOffline
        /// The part of the phase (`PhasePart`), as when history is taken along into a group. A part with an
        /// existing source is skipped. So a device that joins twice with one phase in progress adds it once.
        case phaseParts(existing: SourceSet)
    }

    /// Adds records of the missing parts of a phase. If at least half of a completed phase is missing, the
    /// longest part becomes completed and the others stopped, so that the phase counts once.
    private mutating func add(_ phase: PhaseRecord, _ lacking: [Interval], _ kind: SourceKind) {
        let parts = lacking.flatMap { $0.parts(of: Action.Record.longest) }
        let total = parts.reduce(Duration.zero) { $0 + $1.length }
        let isCompleted = phase.outcome == .completed && total * 2 >= phase.active
        // The last of the longest parts, if several are equally long.
        let longest = parts.indices.reversed().max { parts[$0].length < parts[$1].length }
        for (place, part) in parts.enumerated() {
            let outcome: Outcome =
                phase.outcome != .completed
                ? phase.outcome
                : isCompleted && place == longest ? .completed : .stopped
            let source: String
            switch kind {
            case .whileOffline: source = Action.Record.whileOffline
            case .phaseParts(let existing):
                source = PhasePart(phase.name, place).source
                if existing.contains(source) { continue }
            }
            actions.append(
                .record(
                    Action.Record(
                        activity: phase.activity.rawValue, startedAt: part.from, endedAt: part.to,
                        outcome: outcome.rawValue, label: phase.label, source: source)))
            if phase.activity == .work { work += part.length }
        }
    }
}

extension OfflineWorkNote.Run {
    /// Whether the phases of the run in the history differ from the shown ones.
    fileprivate func differs(from records: [PhaseRecord]) -> Bool {
        let long = records.filter { $0.active >= OfflineWorkNote.shortest }
        return long.map { $0.spans } != phases.map { $0.spans }
            || long.map { $0.outcome } != phases.map { $0.outcome }
    }
}

extension Event {
    /// Whether the event is a record that keeps offline work.
    fileprivate var keepsWork: Bool {
        if case .record(let record) = action { record.keepsWork } else { false }
    }
}

extension Action {
    /// Whether the action is of a kind that a redo takes back together with kept work of the same
    /// transaction. The transaction's other actions, such as an `adopt`, stay in force.
    fileprivate var isTakenBackWithKeptWork: Bool {
        switch self {
        case .undo, .record, .amend: true
        default: false
        }
    }
}

/// The most events before or after an event that `keptTogether` reads. A device writes fewer at once.
private let mostKeptTogether = 4096

extension ReplayLog {
    /// Returns the other events that a device wrote together with `event` on returning, to keep work:
    /// records, and the undos and corrections with them. Returns none if it kept no work then. The stamps of
    /// one transaction are consecutive, and its records come last. Cost: a lookup for each event, up to a
    /// bound.
    func keptTogether(with event: Event) throws(Failure) -> [Event] {
        // The undos and corrections directly before the event. A record that keeps work is the end of an
        // earlier transaction.
        var before: [Event] = []
        var last = event
        while let next = try neighbour(of: last, before: true), next.action.isTakenBackWithKeptWork,
            !next.keepsWork
        {
            guard before.count < mostKeptTogether else { return [] }
            before.append(next)
            last = next
        }
        // All events up to the first record that keeps work, and the records that follow it. The first event
        // after these records begins a later transaction.
        var after: [Event] = []
        var hasRecord = event.keepsWork
        last = event
        while let next = try neighbour(of: last, before: false), next.keepsWork || !hasRecord {
            guard after.count < mostKeptTogether else { return [] }
            hasRecord = hasRecord || next.keepsWork
            after.append(next)
            last = next
        }
        guard hasRecord else { return [] }
        return before + after.filter { $0.action.isTakenBackWithKeptWork }
    }

    /// Returns the event that the same device wrote right before or after an event, in the same transaction,
    /// or nil.
    func neighbour(of event: Event, before: Bool) throws(Failure) -> Event? {
        let (seq, seqEnds) =
            before ? event.id.seq.subtractingReportingOverflow(1) : event.id.seq.addingReportingOverflow(1)
        let (stamp, stampEnds) =
            before
            ? event.stamp.rawValue.subtractingReportingOverflow(1)
            : event.stamp.rawValue.addingReportingOverflow(1)
        guard !seqEnds, !stampEnds,
            let next = try self.event(EventID(replica: event.id.replica, seq: seq)),
            next.stamp.rawValue == stamp
        else { return nil }
        return next
    }
}

extension ReplayState {
    /// Returns the phase in progress of the current run, as if it were stopped now, or nothing if there is no
    /// current run.
    fileprivate func phaseInProgress(at now: SharedInstant) -> [PhaseRecord] {
        var ended = EndedPhases()
        guard let run = advanced(to: now, &ended) else { return [] }
        var inProgress = EndedPhases()
        run.endPhase(at: max(now, latestEffect), .stopped, &inProgress)
        return inProgress.records
    }
}

extension [PhaseRecord] {
    /// Returns the spans in which phases of some activities were running.
    fileprivate func intervals(of isMeant: (Activity) -> Bool) -> [Interval] {
        filter { isMeant($0.activity) }.flatMap { $0.spans.intervals }
    }
}

/// The time that the history covers already.
private struct Coverage {
    /// The covered intervals, in order and disjoint.
    private var intervals: [Interval] = []

    init(_ intervals: [Interval]) { add(intervals) }

    /// Adds intervals, in any order.
    mutating func add(_ more: [Interval]) {
        var union: [Interval] = []
        for interval in (intervals + more).sorted(by: { $0.from < $1.from }) { union.join(interval) }
        intervals = union
    }

    /// Returns the parts of `wanted` within `span` that aren't covered.
    func lacking(_ wanted: [Interval], within span: Interval) -> [Interval] {
        var lacking: [Interval] = []
        for interval in wanted {
            var from = max(interval.from, span.from)
            let to = min(interval.to, span.to)
            for covered in intervals where covered.to > from && covered.from < to {
                if covered.from > from { lacking.append(Interval(from: from, to: covered.from)) }
                from = covered.to
            }
            if from < to { lacking.append(Interval(from: from, to: to)) }
        }
        return lacking
    }
}
