import FocusCore

/// A run in the state of `NaiveFold` (docs/timer-rules.md §3). It is a value: to see it at a later instant,
/// advance a copy.
struct NaiveRun {
    enum Clock {
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

    /// Begins the run of a `start`: a work phase with ordinal 0 and the full `workLength`, running since
    /// `instant`.
    init(start: Action.Start, event: Event, at instant: SharedInstant, settings: NaiveSettings) {
        id = RunID(event.position)
        startedOffline = start.offline
        phaseStartedAt = instant
        clock = .running(since: instant, endsAt: instant + settings.length("workLength"))
        label = naiveClean(start.label ?? "")
        anchor = instant
        touchedAt = event.time
    }

    var closedAt: SharedInstant? {
        if case .closed(let instant) = clock { instant } else { nil }
    }

    var isPaused: Bool {
        if case .paused = clock { true } else { false }
    }

    /// Advances the run to `instant` (`advance(run, t)` in §3).
    mutating func advance(to instant: SharedInstant, settings: NaiveSettings) {
        let limit = touchedAt + settings.length("idleLimit")
        while case .running(_, let endsAt) = clock, endsAt <= instant {
            if endsAt >= limit {
                endPhase(at: endsAt, outcome: "completed")
                clock = .closed(at: endsAt)
            } else {
                endPhaseAndBeginNext(at: endsAt, outcome: "completed", settings: settings)
            }
        }
        if case .paused = clock, limit <= instant {
            close(at: limit)
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
