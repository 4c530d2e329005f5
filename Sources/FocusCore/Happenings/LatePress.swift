/// A press of another device after which phases that this device had shown as completed no longer count as
/// completed (docs/timer-rules.md §5).
package struct LatePress: Hashable, Sendable {
    /// The event that the other device wrote: the press, or an undo or redo.
    package let event: Event
    /// The press that the event is about: the event itself, or the press that it takes back or puts back.
    package let change: Event
    /// The instant at which `change` took effect.
    package let effective: SharedInstant
    /// The number of work phases that no longer count as completed.
    package let phases: Int64
    /// The press that brings back at least one of these phases, or nil if no single press does.
    package let remedy: Remedy?

    /// A press that takes a late press back.
    package enum Remedy: Hashable, Sendable {
        case undo
        case redo

        /// The press that takes `event` back now, or nil if no single press does.
        ///
        /// - Parameters:
        ///   - undoable: The event that an undo takes back now.
        ///   - undo: The undo that a redo takes back now.
        package init?(of event: EventID, undoable: EventID?, undo: Undo?) {
            if undoable == event {
                self = .undo
            } else if undo?.id == event {
                self = .redo
            } else {
                return nil
            }
        }
    }

    /// An upper bound on the presses that are checked as the cause, because each check costs a replay.
    private static let mostAsked = 8

    /// Returns the late press in `news`, or nil if all phases shown as completed still are.
    ///
    /// Cost: linear in the presses if they come after all events in `before` and no phase has ended since.
    /// Otherwise the events since the first affected one are replayed several times.
    ///
    /// - Parameters:
    ///   - news: The events of other devices that are new in the log, in replay order.
    ///   - before: The state after replaying the log without `news`.
    ///   - log: The log with `news`.
    ///   - state: The state after replaying `log`.
    package init?<Log: ReplayLog>(
        of news: [Event], after before: ReplayState, in log: borrowing Log, _ state: ReplayState,
        at now: SharedInstant
    ) throws(Log.Failure) {
        var presses: [(event: Event, change: Event)] = []
        var changes = UndoResolver()
        for event in news {
            guard let change = try changes.change(by: event, in: log), change.action.actsOnTimer else {
                continue
            }
            presses.append((event, change))
        }
        guard let first = try log.firstAffected(by: presses.map { $0.event }),
            !before.keepsWhatEnded(by: now, whatever: presses.map { $0.change }, from: first)
        else { return nil }
        let checkpoint = try log.checkpoint(before: first)
        // Only phases that have ended can leave the history.
        let all = Set(news.map { $0.id })
        let shown = try LogWithout(all, of: copy log).workCompleted(from: checkpoint, at: now)
        guard !shown.isEmpty else { return nil }
        let left = shown.subtracting(try log.workCompleted(from: checkpoint, at: now))
        guard !left.isEmpty else { return nil }
        // Find the first press that removes phases even without the other presses.
        var found = presses.last
        for press in presses.prefix(LatePress.mostAsked) {
            let alone = LogWithout(all.subtracting([press.event.id]), of: copy log)
            guard try !left.isSubset(of: alone.workCompleted(from: checkpoint, at: now)) else { continue }
            found = press
            break
        }
        guard let found else { return nil }
        (event, change) = found
        phases = Int64(clamping: left.count)
        effective = max(
            min(change.action.at ?? change.time, change.time),
            try log.state(before: change.position).latestEffect)
        // The log as it is if the press is taken back. Undo takes back only the last press, and redo only the
        // last undo. So these are a remedy only if the press is that event.
        let isTakenBack = LogWithout([event.id], of: copy log)
        remedy =
            try left.isDisjoint(with: isTakenBack.workCompleted(from: checkpoint, at: now))
            ? nil
            : Remedy(
                of: event.id, undoable: try log.lastPress(state)?.id, undo: try log.lastUndo(state))
    }
}

extension ReplayLog {
    /// Returns the work phases of any run that the log completed after `checkpoint`, by `instant`.
    fileprivate func workCompleted(
        from checkpoint: ReplayState, at instant: SharedInstant
    ) throws(Failure) -> Set<RecordName> {
        var state = checkpoint
        var journal = Journal()
        try replay(&state, history: &journal)
        var aside = EndedPhases()
        for place in state.sideRuns.indices {
            var run = state.sideRuns[place].run
            _ = run.advance(to: max(instant, state.latestEffect), state.settings(in: .side(place)), &aside)
        }
        let records = History(journal, state, at: instant).records + aside.records
        return Set(
            records.lazy.filter { $0.source == nil && $0.activity == .work && $0.outcome == .completed }
                .map { $0.name })
    }
}

extension ReplayState {
    /// Whether no phase that ended by `now` can leave the history because of these presses, which reach back
    /// to the event at `first`. It is true only if the presses come after all events in the state, and no
    /// phase has ended since they took effect.
    fileprivate func keepsWhatEnded(by now: SharedInstant, whatever presses: [Event], from first: Position)
        -> Bool
    {
        guard sideRuns.isEmpty, position.map({ $0 < first }) ?? true else { return false }
        let ended = phasesEnded(by: now)
        return presses.allSatisfy { phasesEnded(by: min($0.action.at ?? $0.time, $0.time)) == ended }
    }

    /// Returns how many phases of the current run have ended by an instant, or nil if there is no current
    /// run. An instant before the run's anchor counts as the anchor.
    private func phasesEnded(by instant: SharedInstant) -> Int64? {
        guard var run = current else { return nil }
        var ended = EndedPhases()
        switch run.advance(to: max(instant, run.anchor), settings, &ended) {
        case .open: return run.phase.ordinal
        case .closed: return run.phase.ordinal + 1
        }
    }
}

extension ReplayLog {
    /// Returns the last press on the timer, so that the person can be told who pressed. Settings and labels
    /// don't count. This device's own undos count only if there is no other press. Without any press, returns
    /// the last event, or nil if `news` is empty. Cost: linear in the events, with a lookup for each undo.
    ///
    /// - Parameters:
    ///   - news: The events written since the person was last told, in replay order.
    ///   - own: All replicas under which this device has written.
    package func lastPresser(of news: [Event], own: Set<ReplicaID>) throws(Failure) -> Event? {
        var pressed: Event?
        var tookBack: Event?
        var changes = UndoResolver()
        for event in news {
            guard let change = try changes.change(by: event, in: self), change.action.isPressOnSession else {
                continue
            }
            if event != change, own.contains(event.id.replica) { tookBack = event } else { pressed = event }
        }
        return pressed ?? tookBack ?? news.last
    }
}

extension Action {
    /// Whether the action begins a run, or acts on one other than by labelling it.
    fileprivate var isPressOnSession: Bool {
        switch self {
        case .start, .pause, .resume, .stop, .skip, .complete, .rest, .adjust, .adopt: true
        case .set, .profile, .label, .device, .revoke, .readmit, .record, .amend, .retime, .split, .undo,
            .unknown:
            false
        }
    }

    /// Whether the action can end phases, or change when they end.
    var actsOnTimer: Bool {
        !settingNames.isEmpty || isPressOnSession
    }
}
