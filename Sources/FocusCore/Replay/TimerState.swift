/// The timer that every device shows at an instant: the state of a log, with the current run brought forward
/// to that instant.
package struct TimerState: Hashable, Sendable {
    /// The current run at the instant.
    package struct Run: Hashable, Sendable {
        /// The run's id, which presses on it name.
        package let id: RunID
        /// The purpose of the present phase.
        package let activity: Activity
        /// The number of the present phase in the run, from 0.
        package let ordinal: Int64
        /// The number of breaks that have ended in this run.
        package let completedCycles: Int64
        /// The name of the work, cleaned (`Text`), or empty if it has none.
        package let label: String
        /// The spans in which the present phase has been running. The last one ends at the instant, if the
        /// timer runs.
        package let spans: Spans
        /// The time for which the present phase has been running, and the time that it has left: its whole
        /// length, without overtime.
        package let length: Duration
        /// The time that presses added to the present phase, minus the time that they took away
        /// (docs/timer-rules.md §7).
        package let added: Duration

        /// The time for which the present phase has been running.
        package var active: Duration { spans.active }

        /// Whether the present phase has been running for any time.
        package var hasBeenRunning: Bool { active > .zero }
    }

    /// Whether a run is open, and whether its time runs.
    package enum Status: Hashable, Sendable {
        case stopped
        /// The first phase lies ahead: it begins at `begins`, `left` from now.
        case waiting(Run, begins: SharedInstant, left: Duration)
        /// `remaining` isn't positive if the phase is in overtime.
        case running(Run, endsAt: SharedInstant, remaining: Duration)
        /// `remaining` is negative if the phase is in overtime.
        case paused(Run, remaining: Duration)
    }

    /// The status of the timer at the instant.
    package let status: Status
    /// The settings in force. Phases that begin later use them.
    package let settings: Settings
    /// The ids of the open side runs, in order.
    package let sideRuns: [RunID]
    /// Whether there is a press that can be taken back.
    package let canUndo: Bool
    /// The instant at which the state changes without a press: a phase that is waiting begins, the phase runs
    /// out or gets into overtime, or a run that was left paused or in overtime closes. It is nil if the timer
    /// is stopped.
    package let nextChange: SharedInstant?
    /// The instant at which the phase ends, or has been over since if it is in overtime. If it is paused, it
    /// would end then if it were resumed now. It is nil if the timer is stopped. While a run is waiting, its
    /// phase begins then.
    package let end: SharedInstant?

    /// Creates the timer that `state` shows at `now`.
    package init(_ state: ReplayState, at now: SharedInstant) {
        var ended = EndedPhases()
        settings = state.settings
        sideRuns = state.sideRuns.map { $0.run.id }
        // The first settings of a new log can't be undone.
        canUndo = state.lastChange != nil && !state.isBeginning
        guard let run = state.advanced(to: now, &ended) else {
            status = .stopped
            nextChange = nil
            end = nil
            return
        }
        var spans = run.phase.spans
        let instant = max(now, state.latestEffect)
        if case .running(let since, _) = run.clock { spans.add(from: since, to: instant) }
        let left = run.left(at: instant)
        let length = spans.active + left
        let shown = Run(
            id: run.id, activity: run.phase.activity, ordinal: run.phase.ordinal,
            completedCycles: run.completedCycles, label: run.label, spans: spans, length: length,
            added: length - run.phase.planned)
        switch run.clock {
        case .running(let since, _) where since > instant:
            status = .waiting(shown, begins: since, left: since - instant)
            nextChange = since
            end = since
        case .running(_, let endsAt):
            status = .running(shown, endsAt: endsAt, remaining: left)
            nextChange = left > .zero ? endsAt : run.due(settings)
            end = endsAt
        case .paused(let remaining):
            status = .paused(shown, remaining: remaining)
            nextChange = run.due(settings)
            end = instant + remaining
        }
    }

    /// The open run, or nil if there is none.
    package var run: Run? {
        switch status {
        case .stopped: nil
        case .waiting(let run, _, _), .running(let run, _, _), .paused(let run, _): run
        }
    }

    /// The time for which the phase has been going on past its end, or nil if it isn't in overtime.
    package var overtime: Duration? {
        switch status {
        case .running(_, _, let left) where left <= .zero: Duration.zero - left
        case .paused(_, let left) where left < .zero: Duration.zero - left
        case .stopped, .waiting, .running, .paused: nil
        }
    }

    /// The time until the end of a paused phase has moved to the next minute: at most a minute. It is nil if
    /// nothing is paused.
    package var untilEndMoves: Duration? {
        guard case .paused = status, let end else { return nil }
        return end.untilNextMinute
    }
}

extension ReplayState {
    /// Returns the instant at which the current run has closed by itself by `now`, and the last at which an
    /// event touched it. Nil if there is no current run, or if it is still open.
    package func closedByItself(by now: SharedInstant) -> (at: SharedInstant, touchedAt: SharedInstant)? {
        guard var run = current else { return nil }
        let touchedAt = run.touchedAt
        var ended = EndedPhases()
        guard case .closed(let closing) = run.advance(to: max(now, latestEffect), settings, &ended) else {
            return nil
        }
        return (closing, touchedAt)
    }

    /// Returns the current run, brought forward to the later of `now` and `latestEffect`, the latest instant at
    /// which an event took effect. Returns nil if there is no run, or if it has closed by then. Appends the
    /// phases that are over by then to `ended`.
    func advanced(to now: SharedInstant, _ ended: inout some PhaseSink) -> OpenRun? {
        guard var run = current else { return nil }
        switch run.advance(to: max(now, latestEffect), settings, &ended) {
        case .open: return run
        case .closed: return nil
        }
    }
}
