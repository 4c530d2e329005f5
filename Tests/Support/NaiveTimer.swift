package import FocusCore

/// The timer rules a second time, as plainly as they can be written: sort everything, work out undos from the
/// end, fold from the start, every time anew. What production says is held against it.
///
/// A straight transcription of docs/timer-rules.md; slow, and meant to be.
package enum NaiveTimer {
    /// What the log of these events, in any order and with any repeats, shows at `now`; nil where they are not
    /// a log (§1).
    package static func state(of events: [Event], at now: SharedInstant) -> NaiveState? {
        guard let sorted = log(of: events) else { return nil }
        let fold = NaiveFold(log: sorted)
        return state(of: fold, log: sorted, at: now)
    }

    /// The events of a log that count at `now` (§1): those that don't lie more than 2 minutes ahead.
    package static func counted(_ events: [Event], at now: SharedInstant) -> [Event] {
        events.filter { $0.time - now <= 120_000 }
    }

    /// The branches of §4 that the log of these events leads to; none where they are not a log.
    package static func rules(of events: [Event]) -> Set<NaiveRule> {
        guard let sorted = log(of: events) else { return [] }
        let fold = NaiveFold(log: sorted)
        return fold.rules
    }

    /// The history of what a log has come to, as it was worked: without what people said of when it was.
    static func worked(of fold: NaiveFold, at now: SharedInstant) -> [NaiveRecord] {
        var fold = fold
        fold.corrections = []
        return state(of: fold, log: [], at: now).history
    }

    /// The events in replay order, each once; nil where they are not a log.
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

    /// Whether the two say the same, byte for byte: Swift holds texts equal that only look the same.
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
            stopShown: false, theme: "work", remaining: fold.settings.length("workLength"), clock: "",
            added: shown?.added ?? 0,
            run: shown?.id, ordinal: shown?.ordinal, endsAt: nil,
            completedCycles: shown?.completedCycles ?? 0,
            label: shown?.label ?? "", settings: fold.settings,
            sideRuns: runs.values.filter { $0.closedAt == nil && $0.id != fold.currentID }.map(\.id)
                .sorted(),
            devices: fold.devices, rulings: fold.rulings,
            history: history(runs: runs.values.flatMap(\.records), fold: fold),
            events: log.count,
            unknown: log.count { if case .unknown = $0.action { true } else { false } })
        if let shown { state.show(shown, at: instant) }
        state.clock = naiveClock(state.remaining)
        return state
    }

    /// The history (§6): what the runs left and the facts, as amended, in order.
    private static func history(runs: [NaiveRecord], fold: NaiveFold) -> [NaiveRecord] {
        var history: [NaiveRecord] = []
        var records = runs + fold.latestFacts
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
    /// The table of §7 for a run that is open at `instant`.
    fileprivate mutating func show(_ run: NaiveRun, at instant: SharedInstant) {
        activity = run.activity
        theme = run.activity == "work" ? "work" : "break"
        let name = run.activity == "work" ? "Work" : "Break"
        stopShown = true
        switch run.clock {
        case .running(_, let endsAt):
            status = "running"
            statusLabel = name
            mainButton = "Pause"
            self.endsAt = endsAt
            remaining = endsAt - instant
        case .paused(let remaining):
            status = "paused"
            statusLabel = run.intervals.isEmpty ? name : name + " paused"
            mainButton = run.intervals.isEmpty ? "Start" : "Resume"
            self.remaining = remaining
        case .closed:
            break
        }
    }
}
