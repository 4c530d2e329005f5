import FocusCore

/// A run in the state of `NaiveFold` (docs/timer-rules.md §3). It is a value: to see it at a later instant,
/// advance a copy.
struct NaiveRun {
    enum Clock {
        /// The first phase begins at an instant that lies ahead, and has this length.
        case waiting(begins: SharedInstant, length: Duration)
        case running(since: SharedInstant, endsAt: SharedInstant)
        case paused(remaining: Duration)
        case closed(at: SharedInstant)
    }

    let id: RunID
    var startedOffline: Bool
    var ordinal: Int64 = 0
    var activity = "work"
    var completedCycles: Int64 = 0
    var phaseStartedAt: SharedInstant
    /// The finished intervals of the present phase.
    var intervals: [NaiveInterval] = []
    var clock: Clock
    /// The time that `adjust` has added to the present phase; negative if it took time away.
    var added: Duration = 0
    var label: String
    var anchor: SharedInstant
    var touchedAt: SharedInstant
    /// The settings that a side run keeps; nil for the current run.
    var keptSettings: NaiveSettings?
    /// The records of the phases that have ended.
    var records: [NaiveRecord] = []

    /// Begins the run of a `start`: a work phase with ordinal 0 and its full length, running since `instant`,
    /// or waiting for its beginning. With `break`, the break after it.
    init(start: Action.Start, event: Event, at instant: SharedInstant, settings: NaiveSettings) {
        id = RunID(event.position)
        startedOffline = start.offline
        let length = start.length.map { Duration.seconds($0) } ?? settings.length("workLength")
        phaseStartedAt = instant
        clock = .running(since: instant, endsAt: instant + length)
        if let begins = start.begins, begins > instant {
            phaseStartedAt = begins
            clock = .waiting(begins: begins, length: length)
        }
        label = naiveClean(start.label ?? "")
        anchor = instant
        touchedAt = event.time
        if start.rest { goToBreak(at: instant, settings: settings) }
        touch(at: event.time)
    }

    /// Lets the idle limit count from `time`, or from the beginning that the run is waiting for.
    mutating func touch(at time: SharedInstant) {
        touchedAt = time
        if case .waiting(let begins, _) = clock, begins > time { touchedAt = begins }
    }

    /// Skips the work phase, and runs the break after it.
    mutating func goToBreak(at instant: SharedInstant, settings: NaiveSettings) {
        endPhaseAndBeginNext(at: instant, outcome: "skipped", settings: settings)
        if case .paused(let remaining) = clock {
            clock = .running(since: instant, endsAt: instant + remaining)
        }
    }

    var closedAt: SharedInstant? {
        if case .closed(let instant) = clock { instant } else { nil }
    }

    /// Whether the present phase has been running for any time by `instant`, to which the run was advanced.
    func hasRun(by instant: SharedInstant) -> Bool {
        if case .running(let since, _) = clock, since < instant { return true }
        return !intervals.isEmpty
    }

    var isRunning: Bool {
        if case .running = clock { true } else { false }
    }

    /// Advances the run to `instant` (`advance(run, t)` in §3).
    mutating func advance(to instant: SharedInstant, settings: NaiveSettings) {
        if case .waiting(let begins, let length) = clock, begins <= instant {
            clock = .running(since: begins, endsAt: begins + length)
        }
        let limit = touchedAt + settings.length("idleLimit")
        while case .running(_, let endsAt) = clock, endsAt <= instant {
            // A press in overtime shows that somebody worked until then.
            let end = max(endsAt, anchor)
            if activity == "work", settings["overtime"] == 1, end < limit {
                guard limit <= instant else { return }
                endPhase(at: end, outcome: "completed")
                clock = .closed(at: limit)
            } else if end >= limit || ordinal >= 9999 {
                endPhase(at: end, outcome: "completed")
                clock = .closed(at: end)
            } else {
                endPhaseAndBeginNext(at: end, outcome: "completed", settings: settings)
            }
        }
        if case .paused = clock, limit <= instant {
            close(at: limit)
        }
    }

    /// The time left at `instant`, to which the run was advanced; negative in overtime. While the run is
    /// waiting, the length of its phase.
    func left(at instant: SharedInstant) -> Duration {
        switch clock {
        case .waiting(_, let length): length
        case .running(_, let endsAt): endsAt - instant
        case .paused(let remaining): remaining
        case .closed: 0
        }
    }

    /// Whether the phase is in overtime at `instant`, to which the run was advanced (§3).
    func isInOvertime(at instant: SharedInstant) -> Bool {
        switch clock {
        case .running(_, let endsAt): endsAt <= instant
        case .paused(let remaining): remaining < 0
        case .waiting, .closed: false
        }
    }

    /// Closes the run and stops its phase.
    mutating func close(at instant: SharedInstant) {
        endPhase(at: instant, outcome: "stopped")
        clock = .closed(at: instant)
    }

    mutating func endPhaseAndBeginNext(at instant: SharedInstant, outcome: String, settings: NaiveSettings) {
        endPhase(at: instant, outcome: outcome)
        let autoStart: Int64
        let length: Duration
        if activity == "work" {
            if (completedCycles + 1) % settings["longBreakFrequency"] == 0 {
                activity = "longBreak"
                length = settings.length("longBreakLength")
            } else {
                activity = "shortBreak"
                length = settings.length("shortBreakLength")
            }
            autoStart = settings["autoStartBreaks"]
        } else {
            completedCycles += 1
            activity = "work"
            length = settings.length("workLength")
            autoStart = settings["autoStartWork"]
        }
        ordinal += 1
        phaseStartedAt = instant
        intervals = []
        added = 0
        clock =
            autoStart == 1
            ? .running(since: instant, endsAt: instant + length) : .paused(remaining: length)
    }

    /// Adds the present phase's record, if the phase is long enough for one (§6).
    private mutating func endPhase(at instant: SharedInstant, outcome: String) {
        let outcome = isInOvertime(at: instant) ? "completed" : outcome
        endInterval(at: instant)
        let record = NaiveRecord(
            run: id, ordinal: ordinal, activity: activity, startedAt: phaseStartedAt, endedAt: instant,
            intervals: intervals, outcome: outcome, label: label)
        if outcome == "completed" || record.active >= 1000 {
            records.append(record)
        }
    }

    /// Ends the running interval, if there is one. Drops an empty interval, and joins adjacent ones.
    mutating func endInterval(at instant: SharedInstant) {
        guard case .running(let since, _) = clock, since < instant else { return }
        if let last = intervals.last, last.to == since {
            intervals[intervals.count - 1].to = instant
        } else {
            intervals.append(NaiveInterval(from: since, to: instant))
        }
    }
}
