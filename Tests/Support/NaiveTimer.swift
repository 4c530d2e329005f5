package import FocusCore

/// A second implementation of the timer rules, as simple as possible: it sorts all events, works out undos
/// from the end and folds from the start, every time. Tests compare production with it.
///
/// It is a direct transcription of docs/timer-rules.md, and slow on purpose.
package enum NaiveTimer {
    /// The state that a log shows at `now`. The events may be in any order and repeated. Nil if they are no
    /// log (§1).
    package static func state(of events: [Event], at now: SharedInstant) -> NaiveState? {
        guard let sorted = log(of: events) else { return nil }
        let fold = NaiveFold(log: sorted)
        return state(of: fold, log: sorted, at: now)
    }

    /// The events that count at `now` (§1): those with a time at most 2 minutes ahead.
    package static func counted(_ events: [Event], at now: SharedInstant) -> [Event] {
        events.filter { $0.time - now <= 120_000 }
    }

    /// The branches of §4 that a log reaches; empty if the events are no log.
    package static func rules(of events: [Event]) -> Set<NaiveRule> {
        guard let sorted = log(of: events) else { return [] }
        let fold = NaiveFold(log: sorted)
        return fold.rules
    }

    /// The history of a fold without corrections.
    static func worked(of fold: NaiveFold, at now: SharedInstant) -> [NaiveRecord] {
        var fold = fold
        fold.corrections = []
        return state(of: fold, log: [], at: now).history
    }

    /// The events in replay order, each once; nil if they are no log.
    package static func log(of events: [Event]) -> [Event]? {
        let byAuthor = events.indices.sorted { events[$0].id < events[$1].id }
        var once: [Int] = []
        for index in byAuthor {
            guard events[index].stamp.isWellFormed else { return nil }
            if let last = once.last, events[last].id.replica == events[index].id.replica {
                if events[last].id == events[index].id {
                    guard isSame(events[last], events[index]) else { return nil }
                    continue
                }
                guard events[last].stamp < events[index].stamp else { return nil }
            }
            once.append(index)
        }
        return once.sorted { events[$0].position < events[$1].position }.map { events[$0] }
    }

    /// Whether two events are equal byte by byte. Swift also calls texts equal that only look the same.
    private static func isSame(_ one: Event, _ other: Event) -> Bool {
        one.stamp == other.stamp && one.action.encoded() == other.action.encoded()
    }

    private static func state(of fold: NaiveFold, log: [Event], at now: SharedInstant) -> NaiveState {
        let instant = max(now, fold.latest)
        var runs = fold.runs
        var shown: NaiveRun?
        if let currentID = fold.currentID, var current = runs[currentID] {
            current.advance(to: instant, settings: fold.settings)
            runs[currentID] = current
            if current.closedAt == nil { shown = current }
        }
        var state = NaiveState(
            now: now, status: "stopped", activity: "work", statusLabel: "Work", mainButton: "Start",
            showsStop: false, theme: "work", remaining: fold.settings.length("workLength"), clock: "",
            added: shown?.added ?? 0, overtime: nil,
            run: shown?.id, ordinal: shown?.ordinal, endsAt: nil,
            completedCycles: shown?.completedCycles ?? 0,
            label: shown?.label ?? "", settings: fold.settings, profiles: fold.profiles,
            sideRuns: runs.values.filter { $0.closedAt == nil && $0.id != fold.currentID }.map(\.id)
                .sorted(),
            devices: fold.devices, rulings: fold.rulings, server: fold.server,
            history: history(ofRuns: runs.values.flatMap(\.records), fold: fold),
            events: log.count,
            unknown: log.count { if case .unknown = $0.action { true } else { false } })
        if let shown { state.show(shown, at: instant) }
        state.clock =
            state.overtime.map { "+" + naiveClock(.seconds($0.inSeconds)) } ?? naiveClock(state.remaining)
        return state
    }

    /// The history (§6): the records of runs and of `record` events, with corrections and amendments, in
    /// order.
    private static func history(ofRuns runRecords: [NaiveRecord], fold: NaiveFold) -> [NaiveRecord] {
        var history: [NaiveRecord] = []
        var records = runRecords + fold.latestAddedRecords
        for event in fold.corrections { naiveCorrect(&records, by: event) }
        for record in records {
            var amended = record
            if let amend = fold.amendments[.init(run: record.run, ordinal: record.ordinal)] {
                if amend.removed == true { continue }
                if let label = amend.label { amended.label = naiveClean(label) }
            }
            history.append(amended)
        }
        return history.sorted {
            if $0.endedAt != $1.endedAt { return $0.endedAt < $1.endedAt }
            if $0.run != $1.run { return $0.run < $1.run }
            return $0.ordinal < $1.ordinal
        }
    }
}

extension NaiveState {
    /// Fills in the table of §7 for a run that is open at `instant`.
    fileprivate mutating func show(_ run: NaiveRun, at instant: SharedInstant) {
        activity = run.activity
        theme = run.activity == "work" ? "work" : "break"
        let name = run.activity == "work" ? "Work" : "Break"
        showsStop = true
        switch run.clock {
        case .waiting(let begins, _):
            status = "waiting"
            statusLabel = "Work starts"
            mainButton = "Start now"
            endsAt = begins
            remaining = begins - instant
        case .running(_, let endsAt):
            status = "running"
            statusLabel = name
            mainButton = "Pause"
            self.endsAt = endsAt
            remaining = max(endsAt - instant, 0)
        case .paused(let remaining):
            status = "paused"
            statusLabel = run.intervals.isEmpty ? name : name + " paused"
            mainButton = run.intervals.isEmpty ? "Start" : "Resume"
            self.remaining = max(remaining, 0)
        case .closed:
            break
        }
        if run.isInOvertime(at: instant) { overtime = Duration.zero - run.left(at: instant) }
    }
}
