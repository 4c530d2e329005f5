// What an undo and a redo take back (docs/timer-rules.md §5).

extension ReplayLog {
    /// The last thing that a person pressed and that changed something in what all are shown; nil where there is none.
    /// What came to pass on a side run, and what made one everyone's, is a device's own doing on returning.
    ///
    /// - Parameter state: the replay of this log.
    func lastPress(_ state: ReplayState) throws(Failure) -> ReplayState.Change? {
        var change = state.lastChange
        while let found = change, let event = try event(found.id) {
            guard let before = try stateBefore(ownDoing: event, in: state) else { break }
            change = before.lastChange
        }
        return change
    }

    /// What the log came to before an event that is a device's own doing on returning; nil where a person pressed it.
    private func stateBefore(ownDoing event: Event, in state: ReplayState) throws(Failure) -> ReplayState? {
        switch event.action {
        case .adopt: return try self.state(before: event.position)
        case .amend:
            let first = try keptTogether(with: event).map { $0.position }.min()
            return try first.map { (first) throws(Failure) in
                try self.state(before: min(first, event.position))
            }
        default:
            guard let run = event.action.run, run != state.current?.id, run != state.lastRun else {
                return nil
            }
            let before = try self.state(before: event.position)
            return before.sideRuns.contains { $0.run.id == run } ? before : nil
        }
    }

    /// The last undo in force of something else than an undo, where nothing was changed since.
    func lastUndo(_ state: ReplayState) throws(Failure) -> Undo? {
        let undos = try undos(after: state.lastChange?.position)
        var targets: [EventID: Undo.Target] = [:]
        for undo in undos { targets[undo.id] = Undo.Target(undo) }
        let takenBack = Undo.takenBack(by: undos) { targets[$0] }
        for undo in undos.reversed() where !takenBack.contains(undo.id) {
            guard let target = try event(undo.target), Undo(target) == nil else { continue }
            return undo
        }
        return nil
    }

    /// What has to be taken back besides, where taking `target` back has changed nothing that shows: the same press of
    /// another device, which took its place. Nil where something shows.
    ///
    /// - Parameters:
    ///   - shown: what was shown before.
    ///   - state: the replay of this log, in which `target` is taken back.
    package func standIn(
        for target: Event, shown: TimerState, _ state: ReplayState, at now: SharedInstant
    ) throws(Failure) -> EventID? {
        guard TimerState(state, at: now).looksLike(shown) else { return nil }
        if let undo = Undo(target) {
            guard let event = try event(undo.target), try isTakenBack(event) else { return nil }
            for other in try undos(of: undo.target).reversed() {
                guard let event = try self.event(other.id), try !isTakenBack(event) else { continue }
                return other.id
            }
            return nil
        }
        guard let change = state.lastChange, change.position > target.position else { return nil }
        return change.id
    }

    /// What the log comes to just before a position.
    ///
    /// Cost: linear in the events since the checkpoint before it.
    package func state(before position: Position) throws(Failure) -> ReplayState {
        var state = try checkpoint(before: position)
        var history = NoHistory()
        try replay(&state, before: position, history: &history)
        return state
    }
}

extension TimerState {
    /// Times that differ by no more than this are two presses of one moment.
    private static let moment = Duration.seconds(10)

    /// Whether a person sees the same: the same phase of the same session under the same settings, running or paused, but
    /// for some seconds.
    fileprivate func looksLike(_ other: TimerState) -> Bool {
        guard settings == other.settings, run?.id == other.run?.id, run?.ordinal == other.run?.ordinal,
            run?.label == other.run?.label
        else { return false }
        switch (status, other.status) {
        case (.stopped, .stopped): return true
        case (.running(_, let endsAt, _), .running(_, let others, _)):
            return (endsAt - others).magnitude <= TimerState.moment
        case (.paused(_, let remaining), .paused(_, let others)):
            return (remaining - others).magnitude <= TimerState.moment
        default: return false
        }
    }
}

extension ReplayState {
    /// Whether taking back an event of the time `time` brought more into the history, by `now`,
    /// than the phase that was in progress then: where the undo of a stop of hours ago would claim them.
    ///
    /// To be asked of the state with the undo.
    package func claimsMore(sinceUndone time: SharedInstant, by now: SharedInstant) -> Bool {
        var ended = EndedPhases()
        guard var then = current, case .open = then.advance(to: max(time, then.anchor), settings, &ended)
        else {
            return false
        }
        guard let present = advanced(to: now, &ended) else { return true }
        return present.phase.ordinal > then.phase.ordinal + 1
    }

    /// Whether a phase may have ended since `time`, which taking back an event of then may take away.
    ///
    /// To be asked of the state without the undo.
    package func mayLose(sinceUndone time: SharedInstant, by now: SharedInstant) -> Bool {
        var ended = EndedPhases()
        guard let present = advanced(to: now, &ended) else { return true }
        return present.phase.startedAt > time
    }
}
