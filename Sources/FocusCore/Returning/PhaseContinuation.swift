/// The continuation, in a new run, of the phase that the person was in the middle of when the device
/// returned. It is needed if no run is current after the merge: because the device joins a group without a
/// run, or because others had ended the run before the presses here (docs/timer-rules.md §5). The new run
/// begins when that phase began.
package struct PhaseContinuation: Hashable, Sendable {
    /// The `start`, which the device authors first.
    package let start: Action
    /// The noted phase.
    private let present: OfflineWorkNote.Present

    /// Creates the continuation. Returns nil if a run is current, if the phase would be over, or if others
    /// pressed after the last press here. A paused phase is continued only if the device joins a group.
    ///
    /// Cost: linear in the events since that last press.
    ///
    /// - Parameters:
    ///   - shown: The note from before the other devices' events were merged.
    ///   - state: The state after replaying `log`, including the device's events on returning.
    ///   - own: All replicas under which this device has written.
    package init?<Log: ReplayLog>(
        with shown: OfflineWorkNote, after state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>,
        at now: SharedInstant
    ) throws(Log.Failure) {
        var ended = EndedPhases()
        // A run that has closed by itself stays as it was. The new run begins after it.
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
            present.isPaused
                ? run.isOfAnotherLog
                : present.endsAt > now || state.settings.goesIntoOvertime(present.phase.activity),
            try run.firstPressElsewhere(in: log, own) == nil,
            let first = present.phase.spans.intervals.first
        else { return nil }
        self.present = present
        let label = present.phase.label
        start = .start(
            Action.Start(
                label: label.isEmpty ? nil : label, after: state.lastRun,
                // Replay has the same limit. So only events that aren't known yet can delay the run.
                at: max(first.from, earliest, state.latestEffect)))
    }

    /// Whether the phase is one of work.
    package var isOfWork: Bool { !present.phase.activity.isBreak }

    /// Returns the actions that give the new run the shown phase, with its length and its pauses. The device
    /// authors them together, after the `start`.
    ///
    /// - Parameter settings: The settings in force.
    package func actions(on run: RunID, _ settings: Settings) -> [Action] {
        let intervals = present.phase.spans.intervals
        guard let first = intervals.first else { return [] }
        var actions: [Action] = []
        var activity = Activity.work
        if present.phase.activity.isBreak {
            actions.append(.skip(run, ordinal: 0, at: first.from))
            // The first break of a run is long only if every break is.
            activity = settings.longBreakFrequency == 1 ? .longBreak : .shortBreak
            if !settings.startsByItself(activity) { actions.append(.resume(run, at: first.from)) }
        }
        // The change takes effect at the phase's start, because by the settings in force the phase may have
        // been over long ago.
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

    /// Returns the action that gives the new run's phase the time that the shown phase had left. It is needed
    /// if the new run had to begin later. Returns nil if the phase has that time already, or is in overtime.
    ///
    /// - Parameter state: The state after replaying the log with the actions above.
    package func correction(in state: ReplayState, at now: SharedInstant) -> Action? {
        let timer = TimerState(state, at: now)
        let missing: Duration
        switch timer.status {
        case .stopped, .waiting: return nil
        case .running(_, let endsAt, _): missing = present.endsAt - endsAt
        case .paused(_, let remaining): missing = present.remaining - remaining
        }
        let seconds = missing.inSeconds
        guard let run = timer.run, timer.overtime == nil, seconds != 0 else { return nil }
        return .adjust(run.id, ordinal: run.ordinal, seconds: seconds, at: nil)
    }
}

extension OfflineWorkNote {
    /// Creates the note of the work that others' events have displaced from a run that continues a phase: the
    /// run begins later than its `start` says, because the device didn't know them. Returns nil if it doesn't.
    ///
    /// Cost: constant while the run is open and in that phase. Otherwise linear in the events since then.
    ///
    /// - Parameter state: The state after replaying `log`.
    package init?<Log: ReplayLog>(
        displacedFrom start: Event, in log: borrowing Log, _ state: ReplayState
    ) throws(Log.Failure) {
        let run = RunID(start.position)
        guard case .start(let content) = start.action, let from = content.at else { return nil }
        if let phase = state.openRun(run)?.phase, phase.ordinal == 0, phase.startedAt <= from { return nil }
        guard try !log.isTakenBack(start) else { return nil }
        let latest = try log.state(before: start.position).latestEffect
        let end = min(latest, start.time)
        guard end > from else { return nil }
        var spans = Spans.none
        // The instant since which the phase was running; nil in a pause.
        var since: SharedInstant? = from
        var last = start
        while let next = try log.neighbour(of: last, before: false) {
            switch next.action {
            case .pause(run, let at?):
                if let since { spans.add(from: since, to: min(at, end)) }
                since = nil
            case .resume(run, let at?): since = max(from, at)
            default: break
            }
            last = next
        }
        if let since { spans.add(from: since, to: end) }
        let phase = PhaseRecord(
            run: run, ordinal: 0, startedAt: from, endedAt: end, label: Text.cleaned(content.label ?? ""),
            spans: spans, activity: .work, outcome: .stopped, source: nil)
        let displaced = Run(
            id: run, from: from, lastPress: start.stamp, isOwnAndEnded: false, phases: [phase])
        self.init(notedAt: end, runs: [displaced], present: nil)
    }
}
