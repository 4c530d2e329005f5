package import FocusCore

/// The actions that a device writes by itself on returning (docs/timer-rules.md §5), in a second
/// implementation.
///
/// It is as simple as possible and examines the whole log for each question. Tests compare production with
/// it.
package struct NaiveReturning {
    /// The log after merging the others' events, in replay order.
    private var log: [Event]
    /// The device's own events that nobody else has.
    private let pending: Set<EventID>
    private let own: Set<ReplicaID>
    private let now: SharedInstant
    /// The cached fold of `log`; nil if the log has changed since.
    private var folded: NaiveFold?
    /// The actions that the device writes.
    package private(set) var actions: [Action] = []
    /// The branches of §5 that were reached.
    package private(set) var rules: Set<NaiveRule> = []
    /// The cells of the table in §5 that were reached: the pending press and the later one.
    package private(set) var cells: Set<String> = []
    /// The news for people, each item once.
    package private(set) var reports: [NaiveReport] = []
    /// The outcomes of sleeps, which are reported after `reports`.
    package private(set) var suspensionOutcomes: [NaiveWaking.Outcome] = []

    /// Nil if the events are no log.
    ///
    /// - Parameters:
    ///   - writer: The replica under which the device writes.
    ///   - shown: A note of the device's log for each attempt to merge the others' events that wasn't
    ///     finished, and for the present one.
    ///   - waking: The sleeps of the machine.
    ///   - returnUndos: The stamps of the undos that the device wrote by itself on earlier returns.
    ///   - continued: The `start` with which the device continued a work phase on an earlier return.
    ///   - written: The actions that the device wrote. They decide only if the rules allow several results.
    package init?(
        _ events: [Event], pending: Set<EventID>, own: Set<ReplicaID>, writer: ReplicaID,
        shown: [NaiveNote], now: SharedInstant, waking: NaiveWaking? = nil, returnUndos: Set<Stamp> = [],
        continued: EventID? = nil, written: [Action] = []
    ) {
        guard let log = NaiveTimer.log(of: events) else { return nil }
        self.log = log
        self.pending = pending
        self.own = own
        self.now = now
        let displaced = continued.flatMap { NaiveShown(displacedFrom: $0, in: log) }
        var note = NaiveShown(shown, own: own)
        if shown.count > 1 { rules.insert(.noteTogether) }
        if shown.contains(where: \.isAsleep) { rules.insert(.noteAsleep) }
        let hasSlept = waking?.hasSlept(since: note.notedAt) ?? false
        if hasSlept, !note.runs.isEmpty { rules.insert(.noteSlept) }
        if !note.runs.isEmpty { rules.formUnion(note.removeOutdated(by: log, own: own, hasSlept: hasSlept)) }
        let hasLostSetting = takeBackOvertaken(besides: returnUndos, by: writer)
        endSideRuns(by: writer)
        if let waking { wake(waking, from: log, written, by: writer) }
        if !note.runs.isEmpty {
            let goesOn = continuePhase(note, by: writer)
            keepLostWork(note, hasLostSetting: hasLostSetting, goesOn: goesOn, by: writer)
        }
        if let displaced { restore(displaced, by: writer) }
        reports = NaiveReturning.merged(reports)
    }

    /// The actions of a device that hears of a session which another device began at the same moment. Nil if
    /// the events are no log. `continued` is as in the other initializer.
    package init?(
        sideRunsIn events: [Event], own: Set<ReplicaID>, writer: ReplicaID, continued: EventID? = nil,
        now: SharedInstant
    ) {
        guard let log = NaiveTimer.log(of: events) else { return nil }
        self.log = log
        pending = []
        self.own = own
        self.now = now
        endSideRuns(by: writer)
        if let displaced = continued.flatMap({ NaiveShown(displacedFrom: $0, in: log) }) {
            restore(displaced, by: writer)
        }
    }

    /// The actions of a device that has slept and can't ask the server. Nil if the events are no log.
    package init?(
        wakingIn events: [Event], own: Set<ReplicaID>, writer: ReplicaID?, now: SharedInstant,
        waking: NaiveWaking,
        written: [Action]
    ) {
        guard let log = NaiveTimer.log(of: events), let writer else { return nil }
        self.log = log
        pending = []
        self.own = own
        self.now = now
        wake(waking, from: log, written, by: writer)
        rules.remove(.asleepOnReturning)
    }

    /// Joins all presses that were taken back into one item, and all undos into another. Both come first.
    private static func merged(_ reports: [NaiveReport]) -> [NaiveReport] {
        let others = reports.filter { ![.tookBack(1), .putBack(1)].contains($0) }
        let (tookBack, putBack) = (reports.count { $0 == .tookBack(1) }, reports.count { $0 == .putBack(1) })
        return (tookBack == 0 ? [] : [.tookBack(tookBack)]) + (putBack == 0 ? [] : [.putBack(putBack)])
            + others
    }

    // MARK: The log

    private mutating func write(_ action: Action, by writer: ReplicaID) {
        actions.append(action)
        let seq = (log.filter { $0.id.replica == writer }.map(\.id.seq).max() ?? 0) + 1
        let last = log.map(\.stamp).max() ?? .zero
        let first = Stamp(time: now, counter: 0) ?? .zero
        let stamp = first > last ? first : Stamp(rawValue: last.rawValue + 1)
        log.append(Event(replica: writer, seq: seq, stamp: stamp, action: action))
        folded = nil
    }

    /// The fold of the whole log, with the actions written so far.
    private mutating func fold() -> NaiveFold {
        if let folded { return folded }
        let fold = NaiveFold(log: log)
        folded = fold
        return fold
    }

    private func event(_ id: EventID) -> Event? { log.first { $0.id == id } }

    /// The event that a chain of undos ends at.
    private func target(of event: Event) -> Event? {
        guard case .undo(let id) = event.action else { return event }
        guard let target = self.event(id), target.position < event.position else { return nil }
        return self.target(of: target)
    }

    // MARK: §5, 2 to 4

    /// The others' events that had an effect in a log without the pending events.
    private func othersPresses() -> [Event] {
        let theirs = NaiveFold(log: log.filter { !pending.contains($0.id) })
        return log.filter { theirs.effective.contains($0.id) && !own.contains($0.id.replica) }
    }

    /// Takes back the pending presses, undos and settings that others have overtaken (rules 2 to 4), and sets
    /// these settings again.
    ///
    /// - Returns: Whether a setting or an undo of one was taken back.
    private mutating func takeBackOvertaken(besides returnUndos: Set<Stamp>, by writer: ReplicaID) -> Bool {
        guard !pending.isEmpty else { return false }
        // The pending events that still have an effect of their own.
        let standing = NaiveUndo(sorted: log).notUndone.filter { event in
            guard pending.contains(event.id) else { return false }
            guard case .undo = event.action else { return true }
            // The device doesn't change its own decisions from an earlier return.
            if returnUndos.contains(event.stamp) {
                rules.insert(.decidedBefore)
                return false
            }
            // An undo of a pending event stays.
            return !(target(of: event).map { pending.contains($0.id) } ?? false)
        }
        guard !standing.isEmpty else { return false }
        let theirs = othersPresses()
        var overtaken: [EventID] = []
        for event in standing {
            guard let run = event.action.run, NaiveReturning.isInTable(event.action) else { continue }
            let onRun = theirs.filter { $0.action.run == run }
            let mine = standing.filter { $0.action.run == run && NaiveReturning.isInTable($0.action) }
            for later in onRun where later.stamp > event.stamp {
                cells.insert("\(event.action.word), since then \(later.action.word)")
            }
            let overtaking = onRun.filter { later in
                mine.contains {
                    $0.stamp < later.stamp && NaiveReturning.overtakes(later.action, $0.action)
                }
            }
            if overtaking.contains(where: { event.stamp < $0.stamp }) {
                rules.insert(.pressOvertaken)
                reports.append(.tookBack(1))
                overtaken.append(event.id)
            }
        }
        for event in standing {
            guard case .undo = event.action, let target = target(of: event) else { continue }
            let run: RunID? =
                if case .start = target.action { RunID(target.position) } else { target.action.run }
            let othersPressed = theirs.contains {
                // A label changes nothing that was undone, and an `adopt` is no press of a person.
                $0.stamp > event.stamp && $0.action.run == run && run != nil
                    && NaiveReturning.isPressOrStart($0.action)
            }
            if othersPressed {
                rules.insert(.undoOvertaken)
                reports.append(.putBack(1))
                overtaken.append(event.id)
            }
        }
        let settings = NaiveSettingsAgain(
            standing.map { ($0, target(of: $0)) }, since: theirs, in: log, pending: pending)
        rules.formUnion(settings.rules)
        for id in overtaken + settings.lost { write(.undo(id), by: writer) }
        for action in settings.actions {
            write(action, by: writer)
            if !action.naiveKeys.isEmpty { reports.append(.setAnew(action.naiveSettingName)) }
        }
        return !settings.lost.isEmpty
    }

    private static func isInTable(_ action: Action) -> Bool {
        switch action {
        case .pause, .resume, .stop, .skip, .complete, .rest: true
        default: false
        }
    }

    static func isPressOrStart(_ action: Action) -> Bool {
        switch action {
        case .start, .pause, .resume, .stop, .skip, .complete, .rest, .adjust: true
        default: false
        }
    }

    /// Whether `later` overtakes `pending`, by the columns and rows of the table in §5.
    private static func overtakes(_ later: Action, _ pending: Action) -> Bool {
        switch later {
        case .resume: if case .stop = pending { true } else { false }
        case .adjust: if case .stop = pending { true } else { false }
        case .skip(_, let ordinal, _), .complete(_, let ordinal, _), .rest(_, let ordinal, _):
            switch pending {
            case .pause, .resume, .stop: true
            case .skip(_, let other, _), .complete(_, let other, _), .rest(_, let other, _):
                other != ordinal
            default: false
            }
        default: false
        }
    }

    // MARK: §5, 1

    /// Stops or adopts the device's side runs (rule 1).
    private mutating func endSideRuns(by writer: ReplicaID) {
        // A device that has begun no session has no side run.
        let hasBegun = log.contains { event in
            if case .start = event.action { own.contains(event.id.replica) } else { false }
        }
        guard hasBegun else { return }
        let fold = fold()
        let instant = max(now, fold.latest)
        var current = fold.currentID.flatMap { fold.runs[$0] }
        current?.advance(to: instant, settings: fold.settings)
        if current?.closedAt != nil { current = nil }
        let mine = fold.runs.values
            .filter { $0.closedAt == nil && $0.id != fold.currentID && own.contains($0.id.starter) }
            .sorted { $0.id < $1.id }
        let newest = mine.last { run in
            var run = run
            run.advance(to: instant, settings: fold.settings(of: run))
            return run.closedAt == nil
        }
        var adopted: RunID?
        if let newest {
            if let current {
                let began = log.first { $0.position == newest.id.position }
                let isAbandoned =
                    newest.startedOffline && current.id < newest.id && !own.contains(current.id.starter)
                    && !hasStopped(current.id)
                    && !log.contains { event in
                        if case .device = event.action { return false }
                        return event.position > newest.id.position && !own.contains(event.id.replica)
                    }
                if isAbandoned, let began {
                    rules.insert(.abandonedStopped)
                    write(.stop(current.id, at: began.action.at ?? began.time), by: writer)
                    reports.append(.closed)
                    adopted = newest.id
                }
            } else {
                adopted = newest.id
            }
        }
        if let adopted {
            rules.insert(.sideRunAdopted)
            reports.append(.adopted)
            write(.adopt(adopted), by: writer)
        }
        for run in mine where run.id != adopted && !hasStopped(run.id) {
            if let current, !run.startedOffline, !own.contains(current.id.starter) {
                reports.append(.joined)
                if current.label.isEmpty, !run.label.isEmpty {
                    rules.insert(.sideRunLabelCopied)
                    write(.label(current.id, text: run.label, at: nil), by: writer)
                }
            } else {
                reports.append(.stoppedOwn)
            }
            rules.insert(.sideRunStopped)
            write(.stop(run.id, at: nil), by: writer)
        }
    }

    private func hasStopped(_ run: RunID) -> Bool {
        log.contains { event in
            if case .stop(run, _) = event.action { own.contains(event.id.replica) } else { false }
        }
    }

    // MARK: Time asleep

    /// Writes the decisions about the sleeps.
    ///
    /// - Parameters:
    ///   - before: The log before the device wrote anything.
    ///   - written: All actions that the device wrote.
    private mutating func wake(
        _ waking: NaiveWaking, from before: [Event], _ written: [Action], by writer: ReplicaID
    ) {
        for sleep in waking.sleeps {
            let hint = written.indices.contains(actions.count) ? written[actions.count] : nil
            let (outcome, why) = waking.outcome(of: sleep, before: before, in: log, own: own, hint: hint)
            rules.insert(why)
            guard let action = outcome.action else { continue }
            write(action, by: writer)
            suspensionOutcomes.append(outcome)
        }
        if !waking.sleeps.isEmpty { rules.insert(.asleepOnReturning) }
    }

    // MARK: §5, 5 and 6

    /// The time of the first press by others after the last press on this device, which has `stamp`.
    private func othersPressed(after stamp: Stamp) -> SharedInstant? {
        log.first { event in
            let isPress =
                switch event.action {
                case .undo, .set, .label: true
                default: NaiveReturning.isPressOrStart(event.action)
                }
            return isPress && !own.contains(event.id.replica)
                && event.position > Position(stamp: stamp, replica: ReplicaID(rawValue: .max))
        }?.time
    }

    /// Continues the noted phase in a run of its own, if somebody is in the middle of it (rule 5).
    ///
    /// - Returns: Whether it did.
    private mutating func continuePhase(_ note: NaiveShown, by writer: ReplicaID) -> Bool {
        guard let present = note.present, !present.isPaused,
            let state = NaiveTimer.state(of: log, at: now), state.run == nil,
            present.endsAt > now
                || (present.phase.activity == "work" && state.settings["overtime"] == 1),
            let last = note.lastPress[present.phase.run], othersPressed(after: last) == nil,
            let first = present.phase.intervals.first
        else { return false }
        let fold = fold()
        let lastRun = lastCurrent()
        var earliest: SharedInstant = 0
        if let id = fold.currentID, var standing = fold.runs[id] {
            standing.advance(to: max(now, fold.latest), settings: fold.settings)
            earliest = standing.closedAt ?? 0
        }
        let label = present.phase.label
        rules.insert(.continues)
        reports.append(.wentOn)
        let begins = max(first.from, earliest, fold.latest)
        if earliest > first.from { rules.insert(.continuesAfterClosing) }
        if present.phase.activity != "work" { rules.insert(.continuesInBreak) }
        if present.phase.intervals.count > 1 { rules.insert(.continuesWithPauses) }
        write(
            .start(.init(label: label.isEmpty ? nil : label, after: lastRun, at: begins)),
            by: writer)
        guard let run = log.last.map({ RunID($0.position) }) else { return true }
        if present.phase.activity != "work" {
            write(.skip(run, ordinal: 0, at: first.from), by: writer)
            if fold.settings["autoStartBreaks"] == 0 { write(.resume(run, at: first.from), by: writer) }
        }
        // The phase's length on this device was `worked + left`. In the new run it is `newLength`.
        let worked = present.phase.active
        let left = present.endsAt - present.phase.endedAt
        let newLength: Duration =
            switch self.fold().runs[run]?.clock {
            case .running(let since, let endsAt): endsAt - since
            case .paused(let remaining): remaining
            case .waiting, .closed, nil: 0
            }
        let seconds = (worked + left - newLength).inSeconds
        if seconds != 0 {
            rules.insert(.continuesWithLength)
            let ordinal: Int64 = present.phase.activity == "work" ? 0 : 1
            write(.adjust(run, ordinal: ordinal, seconds: seconds, at: first.from), by: writer)
        }
        for (one, next) in zip(present.phase.intervals, present.phase.intervals.dropFirst()) {
            write(.pause(run, at: one.to), by: writer)
            write(.resume(run, at: next.from), by: writer)
        }
        if let state = NaiveTimer.state(of: log, at: now), let endsAt = state.endsAt, let run = state.run,
            let ordinal = state.ordinal, state.overtime == nil, (present.endsAt - endsAt).inSeconds != 0
        {
            write(
                .adjust(run, ordinal: ordinal, seconds: (present.endsAt - endsAt).inSeconds, at: nil),
                by: writer)
        }
        return true
    }

    /// The run that was current last.
    private func lastCurrent() -> RunID? {
        let undo = NaiveUndo(sorted: log)
        var fold = NaiveFold(undo: undo)
        var last: RunID?
        for event in undo.notUndone {
            fold.act(event)
            last = fold.currentID ?? last
        }
        return last
    }

    /// Writes records of the work that others have displaced from a phase which the device had continued.
    private mutating func restore(_ displaced: NaiveShown, by writer: ReplicaID) {
        rules.insert(.continuedDisplaced)
        keepLostWork(displaced, hasLostSetting: false, goesOn: false, by: writer)
    }

    /// Writes records of the noted work that the history lacks (rule 6). If a setting was lost, first removes
    /// the ended phases of the device's own runs that it changed, to write them as they were shown.
    private mutating func keepLostWork(
        _ note: NaiveShown, hasLostSetting: Bool, goesOn: Bool, by writer: ReplicaID
    ) {
        guard let state = NaiveTimer.state(of: log, at: now) else { return }
        let fold = fold()
        let worked = NaiveTimer.worked(of: fold, at: now)
        let corrections = fold.corrections
        // Phases that a person has removed from the history stay removed.
        let removed = fold.amendments.filter { $0.value.removed == true }
        var replaced: Set<RunID> = []
        var gone: [NaiveRecord] = []
        var amends: [Action] = []
        if hasLostSetting {
            for run in note.runs where note.ownAndEnded.contains(run) {
                let known = worked.filter { $0.run == run }
                let shown = note.phases.filter { $0.run == run }
                let long = known.filter { $0.active >= 60_000 }
                guard
                    long.map(\.intervals) != shown.map(\.intervals)
                        || long.map(\.outcome) != shown.map(\.outcome)
                else { continue }
                rules.insert(.writtenAgain)
                replaced.insert(run)
                let wrong = NaiveReturning.withSplitParts(known, corrections)
                gone += wrong
                amends += wrong.map { .amend(.init(run: $0.run, ordinal: $0.ordinal, removed: true)) }
            }
        }
        var known =
            state.history.filter { record in
                !gone.contains { $0.run == record.run && $0.ordinal == record.ordinal }
            }
            + (NaiveShown.inProgress(fold, at: now).map { [$0.phase] } ?? [])
        for action in amends { write(action, by: writer) }
        var work: Duration = 0
        defer { if work > 0 { reports.append(.kept(work)) } }
        for run in note.runs {
            guard let from = note.from[run], let last = note.lastPress[run] else { continue }
            let latest = max(now, self.fold().latest)
            let others = othersPressed(after: last)
            let end = replaced.contains(run) ? latest : min(latest, others ?? latest)
            for phase in note.phases where phase.run == run {
                guard phase.activity == "work" || replaced.contains(run) else { continue }
                guard removed[.init(run: run, ordinal: phase.ordinal)] == nil else {
                    rules.insert(.removedStaysOut)
                    continue
                }
                let corrected = NaiveReturning.worked(phase, in: worked, corrections)
                if !corrected.isEmpty { rules.insert(.correctedIsThere) }
                let taken =
                    known.filter { ($0.activity == "work") == (phase.activity == "work") }.flatMap(
                        \.intervals) + corrected
                let parts =
                    (replaced.contains(run)
                    ? phase.intervals
                    : NaiveReturning.lacking(phase.intervals, besides: taken, from: from, to: end))
                    .filter { $0.to - $0.from >= 60_000 }
                let total = parts.reduce(Duration.zero) { $0 + ($1.to - $1.from) }
                if phase.activity == "work" { work += total }
                let longest = parts.map { $0.to - $0.from }.max()
                // Of several parts of the same length, the last one counts.
                let whole = parts.last { $0.to - $0.from == longest }
                if !parts.isEmpty { rules.insert(parts.count > 1 ? .keptInParts : .kept) }
                if !parts.isEmpty, others ?? latest < latest { rules.insert(.keptUntilOthers) }
                for part in parts {
                    let isWhole = phase.outcome == "completed" && total * 2 >= phase.active && part == whole
                    if isWhole { rules.insert(.keptCompleted) }
                    write(
                        .record(
                            .init(
                                activity: phase.activity, startedAt: part.from, endedAt: part.to,
                                outcome: isWhole
                                    ? "completed" : phase.outcome == "completed" ? "stopped" : phase.outcome,
                                label: phase.label, source: "offline")),
                        by: writer)
                }
            }
            known += note.phases.filter { $0.run == run }
        }
    }

    /// The intervals of a phase, if a person has given it other times or split it; otherwise none.
    private static func worked(
        _ phase: NaiveRecord, in worked: [NaiveRecord], _ corrections: [Event]
    ) -> [NaiveInterval] {
        guard
            corrections.contains(where: { $0.action.namedRun == phase.run && $0.namesOrdinal(phase.ordinal) })
        else { return [] }
        return worked.filter { $0.run == phase.run && $0.ordinal == phase.ordinal }.flatMap(\.intervals)
    }

    /// The records and the parts that were split off them. Of such a part only the name is right.
    private static func withSplitParts(_ records: [NaiveRecord], _ corrections: [Event]) -> [NaiveRecord] {
        var all = records
        for event in corrections {
            guard case .split(let split) = event.action,
                let whole = all.first(where: { $0.run == split.run && $0.ordinal == split.ordinal })
            else { continue }
            var part = whole
            (part.run, part.ordinal) = (RunID(event.position), 0)
            all.append(part)
        }
        return all
    }

    /// The parts of `wanted` that lie between `from` and `to` and in no interval of `taken`.
    private static func lacking(
        _ wanted: [NaiveInterval], besides taken: [NaiveInterval], from: SharedInstant, to: SharedInstant
    ) -> [NaiveInterval] {
        var parts: [NaiveInterval] = []
        for interval in wanted {
            let bounds = Set([interval.from, interval.to, from, to] + taken.flatMap { [$0.from, $0.to] })
                .filter { interval.from <= $0 && $0 <= interval.to && from <= $0 && $0 <= to }.sorted()
            var lacking: [NaiveInterval] = []
            for (one, next) in zip(bounds, bounds.dropFirst())
            where !taken.contains(where: { $0.from <= one && next <= $0.to }) {
                if let last = lacking.last, last.to == one {
                    lacking[lacking.count - 1] = NaiveInterval(from: last.from, to: next)
                } else {
                    lacking.append(NaiveInterval(from: one, to: next))
                }
            }
            parts += lacking
        }
        return parts
    }
}

/// One item of news about the device's own actions on returning.
package enum NaiveReport: Hashable, Sendable {
    case tookBack(Int)
    case putBack(Int)
    case setAnew(String)
    case closed
    case adopted
    case joined
    case stoppedOwn
    case wentOn
    case kept(Duration)
}

extension Action {
    /// The action's name in the table of §5.
    fileprivate var word: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .stop: "stop"
        case .skip, .complete, .rest: "skip"
        case .adjust: "adjust"
        case .label: "label"
        case .adopt: "adopt"
        default: "other"
        }
    }
}

extension Event {
    /// Whether the event corrects the times of the phase with this ordinal.
    fileprivate func namesOrdinal(_ ordinal: Int64) -> Bool {
        switch action {
        case .retime(let retime): retime.ordinal == ordinal
        case .split(let split): split.ordinal == ordinal
        default: false
        }
    }
}
