/// What every device shows at an instant: a log's replay, with the current run brought forward to it.
package struct TimerState: Hashable, Sendable {
    /// The current run at the instant.
    package struct Run: Hashable, Sendable {
        /// What presses on it name.
        package let id: RunID
        /// What the present phase is for.
        package let activity: Activity
        /// The number of the present phase.
        package let ordinal: Int64
        /// How many breaks have ended in this run.
        package let completedCycles: Int64
        /// What the work is called, cleaned (`Text`); empty where it has no name.
        package let label: String
        /// How long the present phase has been running.
        package let active: Duration
        /// How much longer the present phase is than it was to be as it began: what was added to
        /// it, less what was taken away (docs/timer-rules.md §7).
        package let added: Duration

        /// Whether the present phase has been running for any time.
        package var hasBeenRunning: Bool { active > .zero }
    }

    /// Whether a run is open, and whether its time runs.
    package enum Status: Hashable, Sendable {
        case stopped
        case running(Run, endsAt: SharedInstant, remaining: Duration)
        case paused(Run, remaining: Duration)
    }

    /// What the timer does at the instant.
    package let status: Status
    /// The settings in force: the phases that begin from here on go by them.
    package let settings: Settings
    /// The ids of the open side runs, in order.
    package let sideRuns: [RunID]
    /// Whether somebody pressed something that can be taken back.
    package let canUndo: Bool
    /// When the state changes though nobody presses: as the phase runs out, or a session that was left paused
    /// closes. Nil where stopped.
    package let nextChange: SharedInstant?

    /// What `state` comes to at `now`.
    package init(_ state: ReplayState, at now: SharedInstant) {
        var ended = EndedPhases()
        settings = state.settings
        sideRuns = state.sideRuns.map { $0.run.id }
        canUndo = state.lastChange != nil && !state.isBeginning
        guard let run = state.advanced(to: now, &ended) else {
            status = .stopped
            nextChange = nil
            return
        }
        var spans = run.phase.spans
        let instant = max(now, state.latestEffect)
        if case .running(let since, _) = run.clock { spans.add(from: since, to: instant) }
        let left =
            switch run.clock {
            case .running(_, let endsAt): endsAt - instant
            case .paused(let remaining): remaining
            }
        let active = spans.active
        let shown = Run(
            id: run.id, activity: run.phase.activity, ordinal: run.phase.ordinal,
            completedCycles: run.completedCycles, label: run.label, active: active,
            added: active + left - run.phase.planned)
        switch run.clock {
        case .running(_, let endsAt):
            status = .running(shown, endsAt: endsAt, remaining: left)
            nextChange = endsAt
        case .paused(let remaining):
            status = .paused(shown, remaining: remaining)
            nextChange = run.limit(settings)
        }
    }

    /// The open run, where there is one.
    package var run: Run? {
        switch status {
        case .stopped: nil
        case .running(let run, _, _), .paused(let run, _): run
        }
    }
}

extension ReplayState {
    /// The current run, brought forward to the later of `now` and the latest effective instant; nil where there
    /// is none or it has closed by then. The phases that are over by then go to `ended`.
    func advanced(to now: SharedInstant, _ ended: inout some PhaseSink) -> OpenRun? {
        guard var run = current else { return nil }
        switch run.advance(to: max(now, latestEffect), settings, &ended) {
        case .open: return run
        case .closed: return nil
        }
    }
}
