/// How a device goes on with the phase that its person is in the middle of, where neither what the others had nor what the
/// device did about it has left a session: on joining a group that has none, or where the session had been ended before it
/// was pressed on (docs/timer-rules.md §5). A new run begins as that phase did.
package struct GoingOn: Hashable, Sendable {
    /// The `start`, to be authored first.
    package let start: Action
    private let present: ShownWork.Present

    /// Nil where there is a session, the phase would be over, it was paused in a session that the others had ended, or they
    /// have pressed anything since it was last pressed on here.
    ///
    /// Cost: linear in the events since that last press.
    ///
    /// - Parameters:
    ///   - shown: What was noted before the others' events were taken in.
    ///   - state: The replay of `log`, with what the device did on returning.
    ///   - own: All replicas that this device has been.
    package init?<Log: ReplayLog>(
        with shown: ShownWork, after state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>,
        at now: SharedInstant
    ) throws(Log.Failure) {
        var ended = EndedPhases()
        // A session that has closed by itself stays as it was: the new one begins after it.
        var earliest = SharedInstant.zero
        if var standing = state.current {
            let instant = max(now, state.latestEffect)
            guard case .closed(let closing) = standing.advance(to: instant, state.settings, &ended) else {
                return nil
            }
            earliest = closing
        }
        guard let present = shown.present,
            let run = shown.runs.first(where: { $0.id == present.phase.run }),
            present.isPaused ? run.isOfAnotherLog : present.endsAt > now,
            try run.through(in: log, own) == nil,
            let first = present.phase.spans.intervals.first
        else { return nil }
        self.present = present
        let label = present.phase.label
        start = .start(
            Action.Start(
                label: label.isEmpty ? nil : label, after: state.lastRun, at: max(first.from, earliest)))
    }

    /// What gives the run that `start` has begun the phase that was shown, with its length and its pauses: authored next,
    /// together.
    ///
    /// - Parameter settings: those in force.
    package func actions(on run: RunID, _ settings: Settings) -> [Action] {
        let intervals = present.phase.spans.intervals
        guard let first = intervals.first else { return [] }
        var actions: [Action] = []
        var activity = Activity.work
        if present.phase.activity.isBreak {
            actions.append(.skip(run, ordinal: 0, at: first.from))
            activity = settings.longBreakFrequency == 1 ? .longBreak : .shortBreak
            if !settings.startsByItself(activity) { actions.append(.resume(run, at: first.from)) }
        }
        // As of its start: by the settings in force it may have been over long ago.
        let length = present.phase.active + present.remaining
        let seconds = (length - settings.length(of: activity)).inSeconds
        if seconds != 0 {
            actions.append(
                .adjust(run, ordinal: activity.isBreak ? 1 : 0, seconds: seconds, at: first.from))
        }
        for (interval, next) in zip(intervals, intervals.dropFirst()) {
            actions += [.pause(run, at: interval.to), .resume(run, at: next.from)]
        }
        if present.isPaused, let last = intervals.last { actions.append(.pause(run, at: last.to)) }
        return actions
    }

    /// What gives the phase the time that it had left, where it begins later than it did; nil where it has that.
    ///
    /// - Parameter state: The replay of the log with the actions above.
    package func correction(in state: ReplayState, at now: SharedInstant) -> Action? {
        let timer = TimerState(state, at: now)
        let missing: Duration
        switch timer.status {
        case .stopped: return nil
        case .running(_, let endsAt, _): missing = present.endsAt - endsAt
        case .paused(_, let remaining): missing = present.remaining - remaining
        }
        let seconds = missing.inSeconds
        guard let run = timer.run, seconds != 0 else { return nil }
        return .adjust(run.id, ordinal: run.ordinal, seconds: seconds, at: nil)
    }
}
