/// A running or paused run, in the state after its last event (docs/timer-rules.md §3, §4).
package struct OpenRun: Hashable, Sendable {
    /// Whether the time of the present phase runs.
    package enum Clock: Hashable, Sendable {
        /// The instant since which it has been running without a pause, and the end of the phase.
        case running(since: SharedInstant, endsAt: SharedInstant)
        /// The time left.
        case paused(remaining: Duration)
    }

    /// The position of the `start` that began it.
    package let id: RunID
    /// The phase that the run is in. It may be over by now, because the passing of time doesn't change the
    /// stored run.
    package internal(set) var phase: Phase
    /// Whether that phase's time runs, and how much of it is left.
    package internal(set) var clock: Clock
    /// The number of breaks that have ended in this run.
    package internal(set) var completedCycles: Int64
    /// The name of the work, cleaned (`Text`), or empty if it has none.
    package internal(set) var label: String
    /// The effective instant of the last event that acted on the run, or the time of a later `set` that moved
    /// the anchor. No event acts on the run at an earlier instant.
    package internal(set) var anchor: SharedInstant
    /// The time of the last event that acted on the run, or of a later change of a setting while the run was
    /// current.
    package internal(set) var touchedAt: SharedInstant
    /// Whether its starter was cut off from its server, and no other replica has acted on the run since. Such
    /// a run gives way to a run that wasn't started offline (docs/timer-rules.md §4).
    package internal(set) var startedOffline: Bool

    /// Creates the run that a `start` begins: in its first work phase, running since `instant`.
    init(id: RunID, label: String, startedOffline: Bool, at instant: SharedInstant, settings: Settings) {
        self.id = id
        let end = settings.end(of: .work, from: instant)
        phase = Phase(activity: .work, ordinal: 0, startedAt: instant, plannedEnd: end)
        clock = .running(since: instant, endsAt: end)
        completedCycles = 0
        self.label = label
        anchor = instant
        touchedAt = id.position.stamp.time
        self.startedOffline = startedOffline
    }

    /// Creates a run from a checkpoint.
    init(
        id: RunID, phase: Phase, clock: Clock, completedCycles: Int64, label: String, anchor: SharedInstant,
        touchedAt: SharedInstant, startedOffline: Bool
    ) {
        self.id = id
        self.phase = phase
        self.clock = clock
        self.completedCycles = completedCycles
        self.label = label
        self.anchor = anchor
        self.touchedAt = touchedAt
        self.startedOffline = startedOffline
    }

    /// Whether its time stands still, because the run was paused or its phase waits to be started.
    package var isPaused: Bool {
        if case .paused = clock { true } else { false }
    }

    /// Returns the instant at which the run is due to close by itself, unless somebody acts on it.
    func limit(_ settings: Settings) -> SharedInstant { settings.idleLimit(after: touchedAt) }

    /// Whether bringing the run forward to `instant` ends its phase. For most events it doesn't.
    func isDue(at instant: SharedInstant, _ settings: Settings) -> Bool {
        switch clock {
        case .running(_, let endsAt): endsAt <= instant
        case .paused: limit(settings) <= instant
        }
    }
}

/// The result of bringing a run forward, or of acting on it.
enum AdvanceResult: Hashable {
    case open
    /// The run closed at this instant, because no event had acted on it for as long as the idle limit.
    case closed(at: SharedInstant)
}

extension OpenRun {
    /// Brings the run forward to `instant`. Each phase that is over by then ends when it was due, and the run
    /// may close by the idle limit.
    ///
    /// Cost: one step for each phase that ends, at most `idleLimit` / the shortest phase length.
    mutating func advance(
        to instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) -> AdvanceResult {
        while true {
            switch clock {
            case .running(_, let endsAt):
                guard endsAt <= instant else { return .open }
                endPhase(at: endsAt, .completed, &history)
                if endsAt >= limit(settings) { return .closed(at: endsAt) }
                beginNextPhase(at: endsAt, settings)
            case .paused:
                let limit = limit(settings)
                guard limit <= instant else { return .open }
                endPhase(at: limit, .stopped, &history)
                return .closed(at: limit)
            }
        }
    }

    /// Skips the phase, and begins the next one.
    mutating func skip(at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink) {
        endPhase(at: instant, .skipped, &history)
        beginNextPhase(at: instant, settings)
    }

    /// Ends the phase at `instant`, and passes its record to `history` if it leaves one (docs/timer-rules.md
    /// §6).
    func endPhase(at instant: SharedInstant, _ outcome: Outcome, _ history: inout some PhaseSink) {
        var spans = phase.spans
        if case .running(let since, _) = clock { spans.add(from: since, to: instant) }
        guard outcome == .completed || spans.active >= PhaseRecord.shortestActive else { return }
        history.phaseEnded(
            PhaseRecord(
                run: id, ordinal: phase.ordinal, startedAt: phase.startedAt, endedAt: instant, label: label,
                spans: spans, activity: phase.activity, outcome: outcome, source: nil))
    }

    /// Begins the next phase. It runs or waits to be started, by the settings.
    private mutating func beginNextPhase(at instant: SharedInstant, _ settings: Settings) {
        let next: Activity
        if phase.activity.isBreak {
            completedCycles += 1
            next = .work
        } else {
            let breaks = completedCycles + 1
            next = breaks % settings.longBreakFrequency == 0 ? .longBreak : .shortBreak
        }
        let end = settings.end(of: next, from: instant)
        phase = Phase(activity: next, ordinal: phase.ordinal + 1, startedAt: instant, plannedEnd: end)
        clock =
            settings.startsByItself(next)
            ? .running(since: instant, endsAt: end) : .paused(remaining: end - instant)
    }

    /// Pauses the run. Returns false if it is paused already.
    mutating func pause(at instant: SharedInstant) -> Bool {
        guard case .running(let since, let endsAt) = clock else { return false }
        phase.spans.add(from: since, to: instant)
        clock = .paused(remaining: endsAt - instant)
        return true
    }

    /// Resumes the run. Returns false if it is running already.
    mutating func resume(at instant: SharedInstant) -> Bool {
        guard case .paused(let remaining) = clock else { return false }
        clock = .running(since: instant, endsAt: instant + remaining)
        return true
    }

    /// Changes the time that the phase has left by `seconds`. The result is between zero and a day.
    mutating func adjust(by seconds: Int64, at instant: SharedInstant) {
        let latest = instant.later(bySeconds: 86_400)
        switch clock {
        case .running(let since, let endsAt):
            clock = .running(
                since: since, endsAt: min(max(endsAt.later(bySeconds: seconds), instant), latest))
        case .paused(let remaining):
            let end = (instant + remaining).later(bySeconds: seconds)
            clock = .paused(remaining: min(max(end, instant), latest) - instant)
        }
    }
}

/// The result of an event on the run that it names.
enum PressResult: Hashable {
    /// The event couldn't act on the run, and changed nothing.
    case refused
    case open
    /// The event ended the run.
    case closed
}

extension OpenRun {
    /// Applies an event to the run, which was brought forward to `instant`, the event's effective instant.
    mutating func press(
        _ event: Event, at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) -> PressResult {
        switch event.action {
        case .pause:
            guard pause(at: instant) else { return .refused }
        case .resume:
            guard resume(at: instant) else { return .refused }
        case .stop:
            endPhase(at: instant, .stopped, &history)
            return .closed
        case .skip(_, let ordinal, _):
            guard ordinal == phase.ordinal else { return .refused }
            skip(at: instant, settings, &history)
        case .adjust(_, let ordinal, let seconds, _):
            guard ordinal == phase.ordinal else { return .refused }
            adjust(by: seconds, at: instant)
        case .label(_, let text, _):
            label = Text.cleaned(text)
        case .start, .adopt, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit,
            .unknown:
            return .refused
        }
        touched(by: event, at: instant)
        return .open
    }

    /// Records that an event acted on the run.
    mutating func touched(by event: Event, at instant: SharedInstant) {
        anchor = instant
        touchedAt = event.time
        if event.id.replica != id.starter { startedOffline = false }
    }
}
