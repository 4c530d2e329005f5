import FocusCore

/// A run as the fold left it (docs/timer-rules.md §3). A value: to look at it later on, advance a copy.
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
    /// The spans in which the present phase has been running, less the one that is under way.
    var intervals: [NaiveInterval] = []
    var clock: Clock
    /// What the present phase was given by `adjust`, less what was taken from it.
    var added: Duration = 0
    var label: String
    var anchor: SharedInstant
    var touchedAt: SharedInstant
    /// What a side run keeps of the settings; nil for the current run.
    var keptSettings: NaiveSettings?
    /// The phases that have ended.
    var records: [NaiveRecord] = []

    /// A `start`'s run: work phase, ordinal 0, full `workLength`, running since `instant`.
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

    /// `advance(run, t)` of §3.
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

    /// Closes the run, its phase stopped.
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

    /// Leaves the present phase's record, if it deserves one (§6).
    private mutating func endPhase(at instant: SharedInstant, outcome: String) {
        endInterval(at: instant)
        let record = NaiveRecord(
            run: id, ordinal: ordinal, activity: activity, startedAt: phaseStartedAt, endedAt: instant,
            intervals: intervals, outcome: outcome, label: label)
        if outcome == "completed" || record.active >= 1000 {
            records.append(record)
        }
    }

    /// Ends the interval under way, if there is one: none empty, touching ones joined.
    mutating func endInterval(at instant: SharedInstant) {
        guard case .running(let since, _) = clock, since < instant else { return }
        if let last = intervals.last, last.to == since {
            intervals[intervals.count - 1].to = instant
        } else {
            intervals.append(NaiveInterval(from: since, to: instant))
        }
    }
}
