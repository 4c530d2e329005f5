/// What a device writes so that nothing is lost of what was worked there while it was cut off: records of what it has shown
/// and of what the history, with all that the others had and what the device did about it, has nothing (docs/timer-rules.md
/// §5).
package struct KeptWork: Hashable, Sendable {
    /// What the device authors, in this order.
    package private(set) var actions: [Action] = []
    /// How much work the records have.
    package private(set) var work = Duration.zero

    /// Cost: linear in the events after the last press of each session that was noted, and O(n log n) in the history.
    ///
    /// - Parameters:
    ///   - shown: What was noted before the others' events were taken in.
    ///   - journal: What replay of `log` found for the history, with all that the device did on returning.
    ///   - state: What it came to.
    ///   - own: All replicas that this device has been.
    ///   - hasLostSetting: Whether a setting that was changed while the device was cut off was taken back, so that its
    ///     own sessions don't go by it any more.
    ///   - goesOn: Whether the phase that was in progress goes on in a run of its own (`GoingOn`).
    package init<Log: ReplayLog>(
        _ shown: ShownWork, besides journal: Journal, _ state: ReplayState, in log: borrowing Log,
        own: Set<ReplicaID>, hasLostSetting: Bool, goesOn: Bool, at now: SharedInstant
    ) throws(Log.Failure) {
        let history = History(journal, state, at: now)
        let worked = History(journal, state, at: now, isAsWorked: true)
        let removed = journal.removed
        var changed: Set<RunID> = []
        var replaced: Set<RecordName> = []
        if hasLostSetting {
            let records = Dictionary(grouping: worked.records.filter { $0.source == nil }) { $0.run }
            for run in shown.runs where run.isOwnAndEnded && run.isOther(than: records[run.id] ?? []) {
                changed.insert(run.id)
                let names = journal.corrections.withSeconds((records[run.id] ?? []).map { $0.name })
                replaced.formUnion(names)
                for name in names {
                    actions.append(
                        .amend(Action.Amend(run: name.run, ordinal: name.ordinal, removed: true)))
                }
            }
        }
        // What is written now has a later stamp than all that there is.
        let end = max(now, state.latestEffect)
        let others = history.records.filter { !replaced.contains($0.name) } + state.phaseInProgress(at: now)
        // What people moved is where they say that it was, and was worked where it was shown.
        let corrected = Set(journal.corrections.map { $0.name })
        var moved: [RecordName: Spans] = [:]
        for record in worked.records where corrected.contains(record.name) && moved[record.name] == nil {
            if !replaced.contains(record.name) { moved[record.name] = record.spans }
        }
        var work = Coverage(others.intervals { !$0.isBreak })
        var breaks = Coverage(others.intervals { $0.isBreak })
        for run in shown.runs {
            let isWhole = changed.contains(run.id)
            let through = try isWhole ? nil : run.through(in: log, own)
            let span = Interval(from: run.from, to: min(through ?? end, end))
            // Where only some of a session is lacking, its breaks aren't worth it.
            for phase in run.phases
            where !removed.contains(phase.name)
                && (!phase.activity.isBreak || isWhole || run.isOfAnotherLog)
            {
                let shown = phase.spans.intervals.map { Interval(from: $0.from, to: min($0.to, end)) }
                if run.isOfAnotherLog, !goesOn {
                    add(phase, shown.filter { $0.length > .zero }, .carried(besides: journal.sources))
                    continue
                }
                var known = phase.activity.isBreak ? breaks : work
                if let spans = moved[phase.name] { known.add(spans.intervals) }
                let lacking = isWhole ? shown : known.lacking(phase.spans.intervals, within: span)
                let shortest = run.isOfAnotherLog ? PhaseRecord.shortestActive : ShownWork.shortest
                add(phase, lacking.filter { $0.length >= shortest }, .kept)
            }
            work.add(run.phases.intervals { !$0.isBreak })
            breaks.add(run.phases.intervals { $0.isBreak })
        }
    }

    /// What the records of a phase are called.
    private enum Naming {
        /// By the events that they are.
        case kept
        /// Like those of phases that had ended when a history was carried into a group: who joins twice with one phase in
        /// progress brings it once. What the group has from these sources is there.
        case carried(besides: SourceSet)
    }

    /// Adds the parts of a phase that are lacking. The longest is the completed one, where at least half of a completed
    /// phase is lacking: so the phase counts once.
    private mutating func add(_ phase: PhaseRecord, _ lacking: [Interval], _ naming: Naming) {
        let parts = lacking.flatMap { $0.parts(of: Action.Record.longest) }
        let total = parts.reduce(Duration.zero) { $0 + $1.length }
        let isCompleted = phase.outcome == .completed && total * 2 >= phase.active
        // Of several the last one.
        let longest = parts.indices.reversed().max { parts[$0].length < parts[$1].length }
        for (place, part) in parts.enumerated() {
            let outcome: Outcome =
                phase.outcome != .completed
                ? phase.outcome
                : isCompleted && place == longest ? .completed : .stopped
            let source: String
            switch naming {
            case .kept: source = Action.Record.whileOffline
            case .carried(let known):
                source = PhasePart(phase.name, place).source
                if known.contains(source) { continue }
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

extension ShownWork.Run {
    /// Whether the history has other phases of the session than were shown.
    fileprivate func isOther(than records: [PhaseRecord]) -> Bool {
        let long = records.filter { $0.active >= ShownWork.shortest }
        return long.map { $0.spans } != phases.map { $0.spans }
            || long.map { $0.outcome } != phases.map { $0.outcome }
    }
}

extension Event {
    /// Whether it is a record by which a device keeps work that it showed while it was cut off.
    fileprivate var keepsWork: Bool {
        if case .record(let record) = action { record.keepsWork } else { false }
    }
}

extension Action {
    /// Whether a redo takes it back with an undo of the same transaction.
    fileprivate var isWrittenOnReturning: Bool {
        switch self {
        case .undo, .record, .amend: true
        default: false
        }
    }
}

/// More than a device keeps at once.
private let mostKeptTogether = 4096

extension ReplayLog {
    /// What a device wrote together with an event of its own on returning, that event left out, by which it keeps what was
    /// worked there: the records, and the undos and corrections that go with them. None where it kept nothing then.
    ///
    /// What is written in one transaction has stamps that follow on each other; the records come last in it. Cost: a look-up
    /// for each event, up to a bound: a device writes some hundreds at the most, and what goes beyond is somebody else's doing.
    func keptTogether(with event: Event) throws(Failure) -> [Event] {
        var before: [Event] = []
        var last = event
        while let next = try neighbour(of: last, before: true), next.action.isWrittenOnReturning,
            !next.keepsWork
        {
            guard before.count < mostKeptTogether else { return [] }
            before.append(next)
            last = next
        }
        var after: [Event] = []
        var keepsWork = event.keepsWork
        last = event
        while let next = try neighbour(of: last, before: false), next.keepsWork || !keepsWork {
            guard after.count < mostKeptTogether else { return [] }
            keepsWork = keepsWork || next.keepsWork
            after.append(next)
            last = next
        }
        guard keepsWork else { return [] }
        return before + after.filter { $0.action.isWrittenOnReturning }
    }

    /// What the same device wrote right before an event or after it, in the same transaction.
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
    /// The phase in progress of the current run, as if it were stopped now; none where there is none.
    fileprivate func phaseInProgress(at now: SharedInstant) -> [PhaseRecord] {
        var ended = EndedPhases()
        guard let run = advanced(to: now, &ended) else { return [] }
        var inProgress = EndedPhases()
        run.endPhase(at: max(now, latestEffect), .stopped, &inProgress)
        return inProgress.records
    }
}

extension [PhaseRecord] {
    /// When phases of some kinds were running.
    fileprivate func intervals(of isMeant: (Activity) -> Bool) -> [Interval] {
        filter { isMeant($0.activity) }.flatMap { $0.spans.intervals }
    }
}

/// Time that is in the history already.
private struct Coverage {
    /// In order, and apart from each other.
    private var intervals: [Interval] = []

    init(_ intervals: [Interval]) { add(intervals) }

    mutating func add(_ more: [Interval]) {
        var union: [Interval] = []
        for interval in (intervals + more).sorted(by: { $0.from < $1.from }) { union.join(interval) }
        intervals = union
    }

    /// What of these is not covered, within a span.
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
