/// A press that reached this device long after it was made, and took out of the history what had been shown since
/// (docs/timer-rules.md §5).
package struct LatePress: Hashable, Sendable {
    /// What the other device wrote: the press, or an undo or redo.
    package let event: Event
    /// What the press is about: the press itself, or what it takes back or puts back.
    package let change: Event
    /// How long ago that took effect.
    package let ago: Duration
    /// How many completed work phases left the history.
    package let phases: Int64
    /// What brings them back, or some; nil where no single press does.
    package let remedy: Remedy?

    /// What brings back what a late press took away.
    package enum Remedy: Hashable, Sendable {
        case undo
        case redo
    }

    /// Of so many presses it is asked whether they are to blame, each of which costs a replay.
    private static let mostAsked = 8

    /// Nil where no press of these reaches back, or nothing left the history on account of it.
    ///
    /// Cost: linear in the presses, as long as they come one after the other while a phase goes on. Else the events since
    /// are replayed some times.
    ///
    /// - Parameters:
    ///   - news: What other devices wrote that wasn't there before, in replay order.
    ///   - before: What the log came to without it.
    ///   - log: The log, with that.
    ///   - state: The replay of `log`.
    package init?<Log: ReplayLog>(
        of news: [Event], after before: ReplayState, in log: borrowing Log, _ state: ReplayState,
        at now: SharedInstant
    ) throws(Log.Failure) {
        var presses: [(event: Event, change: Event)] = []
        var changes = ChangesTakenBack()
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
        // Only what has ended can leave.
        let all = Set(news.map { $0.id })
        let shown = try LogWithout(all, of: copy log).workCompleted(from: checkpoint, at: now)
        guard !shown.isEmpty else { return nil }
        let left = shown.subtracting(try log.workCompleted(from: checkpoint, at: now))
        guard !left.isEmpty else { return nil }
        // The first that would have done it without the others.
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
        let instant = max(
            min(change.action.at ?? change.time, change.time),
            try log.state(before: change.position).latestEffect)
        ago = max(.zero, now - instant)
        let isTakenBack = LogWithout([event.id], of: copy log)
        remedy =
            try left.isDisjoint(with: isTakenBack.workCompleted(from: checkpoint, at: now))
            ? nil
            : try log.lastPress(state)?.id == event.id
                ? .undo : try log.lastUndo(state)?.id == event.id ? .redo : nil
    }
}

extension ReplayLog {
    /// The work phases that the log completed since a checkpoint of it, by an instant, in any session.
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
    /// Whether no phase that has ended by `now` can leave the history for these presses, which reach back to the event at
    /// `first`: they all come after what there is, and no phase has ended since.
    fileprivate func keepsWhatEnded(by now: SharedInstant, whatever presses: [Event], from first: Position)
        -> Bool
    {
        guard sideRuns.isEmpty, position.map({ $0 < first }) ?? true else { return false }
        let ended = phasesEnded(by: now)
        return presses.allSatisfy { phasesEnded(by: min($0.action.at ?? $0.time, $0.time)) == ended }
    }

    /// How many phases of the current run have ended by an instant, which isn't before it was pressed last; nil where none
    /// is current.
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
    /// Which of these events most likely made the session what it is now, for the person to be told who pressed: the last
    /// press on the timer. What else a device wrote at the same time, as a setting that had waited to be sent or an undo on
    /// returning, doesn't hide what another pressed. Nil where there are none.
    ///
    /// Cost: linear in the events, with a look-up for each undo.
    ///
    /// - Parameters:
    ///   - news: What was written since the person was told last, in replay order.
    ///   - own: All replicas that this device has been.
    package func lastPresser(of news: [Event], own: Set<ReplicaID>) throws(Failure) -> Event? {
        var pressed: Event?
        var tookBack: Event?
        var changes = ChangesTakenBack()
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
    /// Whether it begins a session, or is on one that runs.
    fileprivate var isPressOnSession: Bool {
        switch self {
        case .start, .pause, .resume, .stop, .skip, .adjust, .adopt: true
        case .set, .label, .device, .revoke, .readmit, .record, .amend, .retime, .split, .undo, .unknown:
            false
        }
    }

    /// Whether it can end phases, or have them end at another time.
    var actsOnTimer: Bool {
        if case .set = self { true } else { isPressOnSession }
    }
}
