/// A run that is running or paused, as far as its events have brought it (docs/timer-rules.md §3, §4).
package struct OpenRun: Hashable, Sendable {
    /// Whether the time of the present phase runs.
    package enum Clock: Hashable, Sendable {
        /// Since when it has been running without a pause, and when the phase will be over.
        case running(since: SharedInstant, endsAt: SharedInstant)
        /// How much is left.
        case paused(remaining: Duration)
    }

    /// The position of the `start` that began it.
    package let id: RunID
    /// The phase that it is in, which may be over by the present instant: time alone doesn't change what is kept.
    package internal(set) var phase: Phase
    /// Whether that phase's time runs, and how much of it is left.
    package internal(set) var clock: Clock
    /// How many breaks have ended in this run.
    package internal(set) var completedCycles: Int64
    /// What the work is called, cleaned (`Text`); empty where it has no name.
    package internal(set) var label: String
    /// The effective instant of what last acted on the run: nothing acts before it.
    package internal(set) var anchor: SharedInstant
    /// When somebody last acted on the run, or changed a setting while it was current.
    package internal(set) var touchedAt: SharedInstant
    /// Whether its starter was cut off from its server, and no other replica has acted on it since: then it makes way
    /// for one that wasn't started so (docs/timer-rules.md §4).
    package internal(set) var startedOffline: Bool

    /// The run that a `start` begins: its first work phase, running since `instant`.
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

    /// A run as a checkpoint kept it.
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

    /// Whether its time stands still, be it that it was paused or that its phase waits to be started.
    package var isPaused: Bool {
        if case .paused = clock { true } else { false }
    }

    /// When the run closes by itself unless somebody acts on it.
    func limit(_ settings: Settings) -> SharedInstant { settings.idleLimit(after: touchedAt) }

    /// Whether bringing the run forward to `instant` ends its phase. Most events find that it doesn't.
    func isDue(at instant: SharedInstant, _ settings: Settings) -> Bool {
        switch clock {
        case .running(_, let endsAt): endsAt <= instant
        case .paused: limit(settings) <= instant
        }
    }
}

/// What bringing a run forward, or acting on it, leaves of it.
enum RunFate: Hashable {
    case open
    /// Nobody had been there for the idle limit, so the run closed at this instant.
    case closed(at: SharedInstant)
}

extension OpenRun {
    /// Brings the run forward to `instant`: the phases that are over by then end, each where it was due.
    ///
    /// Cost: one step for each phase that ends, at most `idleLimit` / the shortest phase length.
    mutating func advance(
        to instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) -> RunFate {
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

    /// Ends the phase and begins the next.
    mutating func skip(at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink) {
        endPhase(at: instant, .skipped, &history)
        beginNextPhase(at: instant, settings)
    }

    /// Ends the phase at `instant` and leaves its record, where it leaves one (§6).
    func endPhase(at instant: SharedInstant, _ outcome: Outcome, _ history: inout some PhaseSink) {
        var spans = phase.spans
        if case .running(let since, _) = clock { spans.add(from: since, to: instant) }
        guard outcome == .completed || spans.active >= PhaseRecord.shortestActive else { return }
        history.phaseEnded(
            PhaseRecord(
                run: id, ordinal: phase.ordinal, startedAt: phase.startedAt, endedAt: instant, label: label,
                spans: spans, activity: phase.activity, outcome: outcome, source: nil))
    }

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

    /// Pauses the run; false where it is paused already.
    mutating func pause(at instant: SharedInstant) -> Bool {
        guard case .running(let since, let endsAt) = clock else { return false }
        phase.spans.add(from: since, to: instant)
        clock = .paused(remaining: endsAt - instant)
        return true
    }

    /// Lets the run go on; false where it is running already.
    mutating func resume(at instant: SharedInstant) -> Bool {
        guard case .paused(let remaining) = clock else { return false }
        clock = .running(since: instant, endsAt: instant + remaining)
        return true
    }

    /// Gives the phase more or less time, up to a day.
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

/// What an event did to the run it names.
enum PressResult: Hashable {
    /// It couldn't act there, and changed nothing.
    case refused
    case open
    /// It ended the run.
    case closed
}

extension OpenRun {
    /// Lets an event act on the run, which was brought forward to `instant`, its effective instant.
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

    /// Takes note of an event that acted on the run.
    mutating func touched(by event: Event, at instant: SharedInstant) {
        anchor = instant
        touchedAt = event.time
        if event.id.replica != id.starter { startedOffline = false }
    }
}
