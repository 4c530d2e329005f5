/// A running or paused run, in the state after its last event (docs/timer-rules.md §3, §4).
package struct OpenRun: Hashable, Sendable {
    /// Whether the time of the present phase runs.
    package enum Clock: Hashable, Sendable {
        /// The instant since which it has been running without a pause, and the end of the phase. If `since`
        /// lies ahead, the run is waiting: its first phase begins then.
        case running(since: SharedInstant, endsAt: SharedInstant)
        /// The time left. It is negative if the run was paused in overtime.
        case paused(remaining: Duration)
    }

    /// The greatest number of phases of a run that end without a press. It bounds the cost of an event,
    /// regardless of lengths and of how far an `at` reaches back (docs/timer-rules.md §3).
    package static let mostPhases: Int64 = 10_000

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

    /// Creates the run that a `start` begins at `instant`: in its first work phase, which may lie ahead, or in
    /// the break after it.
    init(_ start: Action.Start, id: RunID, at instant: SharedInstant, settings: Settings) {
        self.id = id
        let begins = max(start.begins ?? instant, instant)
        let end = begins.later(bySeconds: start.length ?? settings.length(of: .work).inSeconds)
        phase = Phase(activity: .work, ordinal: 0, startedAt: begins, plannedEnd: end)
        clock = .running(since: begins, endsAt: end)
        completedCycles = 0
        label = Text.cleaned(start.label ?? "")
        anchor = instant
        touchedAt = id.position.stamp.time
        startedOffline = start.offline
        if start.rest {
            var none = NoHistory()
            rest(at: instant, settings, &none)
        }
        touch(at: touchedAt)
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

    /// Whether its time runs at `instant`: it isn't paused, and its phase has begun.
    func isRunning(at instant: SharedInstant) -> Bool {
        if case .running(let since, _) = clock { since <= instant } else { false }
    }

    /// Returns the instant at which the run is due to close by itself, unless somebody acts on it.
    func limit(_ settings: Settings) -> SharedInstant { settings.idleLimit(after: touchedAt) }

    /// Returns the time that the phase has left at `instant`, negative after its end. For a waiting run it is
    /// the length of the phase.
    func left(at instant: SharedInstant) -> Duration {
        switch clock {
        case .running(let since, let endsAt): endsAt - max(since, instant)
        case .paused(let remaining): remaining
        }
    }

    /// Whether the phase is in overtime at `instant`, to which the run was brought forward. A waiting run
    /// isn't, even if its phase was adjusted to nothing.
    func isInOvertime(at instant: SharedInstant) -> Bool {
        isRunning(at: instant) ? left(at: instant) <= .zero : isPaused && left(at: instant) < .zero
    }

    /// The end of a phase that nobody ends. In overtime it isn't before the last press.
    private func end(planned endsAt: SharedInstant) -> SharedInstant { max(endsAt, anchor) }

    /// The instant at which a running phase ends if nobody presses, or at which a run that was left in
    /// overtime or paused closes.
    func due(_ settings: Settings) -> SharedInstant {
        switch clock {
        case .running(_, let endsAt):
            settings.goesIntoOvertime(phase.activity)
                ? max(end(planned: endsAt), limit(settings)) : end(planned: endsAt)
        case .paused: limit(settings)
        }
    }

    /// Whether bringing the run forward to `instant` ends its phase. For most events it doesn't.
    func isDue(at instant: SharedInstant, _ settings: Settings) -> Bool { due(settings) <= instant }
}

/// The result of bringing a run forward, or of acting on it.
enum AdvanceResult: Hashable {
    case open
    /// The run closed at this instant: no event had acted on it for as long as the idle limit, or it had
    /// `OpenRun.mostPhases` phases.
    case closed(at: SharedInstant)
}

extension OpenRun {
    /// Brings the run forward to `instant`. Each phase that is over by then ends when it was due, and the run
    /// may close by itself.
    ///
    /// Cost: one step for each phase that ends, at most `mostPhases`.
    mutating func advance(
        to instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) -> AdvanceResult {
        while isDue(at: instant, settings) {
            let due = due(settings)
            guard case .running(_, let endsAt) = clock else {
                endPhase(at: due, .stopped, &history)
                return .closed(at: due)
            }
            let end = end(planned: endsAt)
            endPhase(at: end, .completed, &history)
            // `due` is the limit if the run was left in overtime.
            if due >= limit(settings) || phase.ordinal >= OpenRun.mostPhases - 1 { return .closed(at: due) }
            beginNextPhase(at: end, settings)
        }
        return .open
    }

    /// Ends the phase early, and begins the next one.
    private mutating func end(
        _ outcome: Outcome, at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) {
        endPhase(at: instant, outcome, &history)
        beginNextPhase(at: instant, settings)
    }

    /// Skips the work phase. The break after it runs even if breaks don't start by themselves.
    private mutating func rest(
        at instant: SharedInstant, _ settings: Settings, _ history: inout some PhaseSink
    ) {
        end(.skipped, at: instant, settings, &history)
        _ = resume(at: instant)
    }

    /// Whether the phase has been running for any time by `instant`.
    private func hasBeenRunning(by instant: SharedInstant) -> Bool {
        if case .running(let since, _) = clock, since < instant { return true }
        return !phase.spans.isEmpty
    }

    /// Ends the phase at `instant`, and passes its record to `history` if it leaves one (docs/timer-rules.md
    /// §6). A phase in overtime is completed.
    func endPhase(at instant: SharedInstant, _ outcome: Outcome, _ history: inout some PhaseSink) {
        let outcome = isInOvertime(at: instant) ? .completed : outcome
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

    /// Pauses the run. Returns false if it is paused already, or waiting.
    mutating func pause(at instant: SharedInstant) -> Bool {
        guard case .running(let since, let endsAt) = clock, since <= instant else { return false }
        phase.spans.add(from: since, to: instant)
        clock = .paused(remaining: endsAt - instant)
        return true
    }

    /// Resumes the run, or begins a phase that is waiting. Returns false if it is running already.
    mutating func resume(at instant: SharedInstant) -> Bool {
        switch clock {
        case .paused(let remaining):
            clock = .running(since: instant, endsAt: instant + remaining)
        case .running(let since, let endsAt):
            guard since > instant else { return false }
            phase = Phase(
                activity: phase.activity, ordinal: phase.ordinal, startedAt: instant,
                plannedEnd: instant + phase.planned)
            clock = .running(since: instant, endsAt: instant + (endsAt - since))
        }
        return true
    }

    /// Changes the time that the phase has left by `seconds`. The result is between zero and a day. In
    /// overtime, more time counts from `instant`. Returns false if it would take time away then.
    mutating func adjust(by seconds: Int64, at instant: SharedInstant) -> Bool {
        guard seconds > 0 || !isInOvertime(at: instant) else { return false }
        // The time of a phase that is waiting counts from its beginning.
        let from = if case .running(let since, _) = clock { max(instant, since) } else { instant }
        let left = left(at: instant)
        // No press added the overtime so far.
        if left < .zero { phase.plannedEnd = phase.plannedEnd - left }
        let end = (from + max(.zero, left)).later(bySeconds: seconds)
        let endsAt = min(max(end, from), from.later(bySeconds: 86_400))
        switch clock {
        case .running(let since, _): clock = .running(since: since, endsAt: endsAt)
        case .paused: clock = .paused(remaining: endsAt - from)
        }
        return true
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
            end(.skipped, at: instant, settings, &history)
        case .complete(_, let ordinal, _):
            guard ordinal == phase.ordinal, !phase.activity.isBreak, hasBeenRunning(by: instant) else {
                return .refused
            }
            end(.completed, at: instant, settings, &history)
        case .rest(_, let ordinal, _):
            guard ordinal == phase.ordinal, !phase.activity.isBreak else { return .refused }
            rest(at: instant, settings, &history)
        case .adjust(_, let ordinal, let seconds, _):
            guard ordinal == phase.ordinal, adjust(by: seconds, at: instant) else { return .refused }
        case .label(_, let text, _):
            label = Text.cleaned(text)
        case .start, .adopt, .set, .profile, .device, .record, .amend, .retime, .split, .undo, .revoke,
            .readmit, .unknown:
            return .refused
        }
        touched(by: event, at: instant)
        return .open
    }

    /// Lets the idle limit count from `time`, or from the beginning of the phase if that is later.
    mutating func touch(at time: SharedInstant) {
        touchedAt = if case .running(let since, _) = clock { max(time, since) } else { time }
    }

    /// Records that an event acted on the run.
    mutating func touched(by event: Event, at instant: SharedInstant) {
        anchor = instant
        touch(at: event.time)
        if event.id.replica != id.starter { startedOffline = false }
    }
}
