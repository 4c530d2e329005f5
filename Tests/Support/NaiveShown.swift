package import FocusCore

/// A device's log just before the device merges the others' events, from which it notes the phases that it
/// shows (docs/timer-rules.md §5, "What was shown").
package struct NaiveNote {
    let log: [Event]
    let pending: Set<EventID>
    /// The time of the note; see `init`.
    package let at: SharedInstant
    let isAsleep: Bool

    /// - Parameters:
    ///   - log: The device's log, in any order.
    ///   - pending: The events in `log` that nobody else was known to have.
    ///   - at: The time of the note, in milliseconds since the Unix epoch. If the machine has slept since,
    ///     the time at which it fell asleep.
    ///   - isAsleep: Whether the machine has slept since, and nothing is decided about that yet.
    package init(log: [Event], pending: Set<EventID>, at: SharedInstant, isAsleep: Bool = false) {
        (self.log, self.pending, self.at, self.isAsleep) = (log, pending, at, isAsleep)
    }
}

/// The phases that a device shows of its pending runs (docs/timer-rules.md §5, "What was shown"), in a second
/// implementation.
struct NaiveShown {
    /// The current run's phase in progress, with the record that a stop would leave.
    struct Present {
        var phase: NaiveRecord
        var isPaused: Bool
        var endsAt: SharedInstant
    }

    /// The runs that have pending presses, and phases that the device shows; sorted.
    private(set) var runs: [RunID] = []
    /// The first time at which a pending press on each run takes effect, also for runs that aren't in `runs`.
    private(set) var from: [RunID: SharedInstant] = [:]
    /// The greatest stamp of the pending presses on each run, also for runs that aren't in `runs`.
    private(set) var lastPress: [RunID: Stamp] = [:]
    /// The runs that the device began by a pending start, and that have ended.
    private(set) var ownAndEnded: Set<RunID> = []
    /// The phases of `runs` that the device shows, with the one in progress.
    private(set) var phases: [NaiveRecord] = []
    /// The phase in progress of the current run, if that is one of `runs`; otherwise nil.
    private(set) var present: Present?
    /// The time of the last note.
    private(set) var notedAt: SharedInstant = 0

    /// Combines the notes of several attempts to merge the others' events. All attempts but the last were cut
    /// short.
    init(_ notes: [NaiveNote], own: Set<ReplicaID>) {
        for note in notes {
            // A later note adds only presses made since the note before it.
            let since = note.log.filter { note.pending.contains($0.id) && $0.time >= notedAt }
            var next = NaiveShown(note.log, Set(since.map(\.id)), own: own, at: note.at)
            guard !next.runs.isEmpty else { continue }
            if note.isAsleep { next.present = nil }
            add(next)
        }
    }

    /// The work that others' events have displaced from the run that `start` began, by which the device had
    /// continued a phase. Nil if the run begins when the `start` says, or if that was taken back.
    init?(displacedFrom start: EventID, in log: [Event]) {
        let undo = NaiveUndo(sorted: log)
        guard let event = undo.notUndone.first(where: { $0.id == start }),
            case .start(let content) = event.action, let at = content.at
        else { return nil }
        var before = NaiveFold(undo: undo)
        for event in undo.notUndone.prefix(while: { $0.id != start }) { before.act(event) }
        let end = min(before.latest, event.time)
        guard end > at else { return nil }
        // The pauses of the phase, which the device wrote in the same moment, each with a stamp that follows
        // the one before.
        let run = RunID(event.position)
        var intervals: [NaiveInterval] = []
        var since: SharedInstant? = at
        var stamp = event.stamp
        for next in log where next.id.replica == start.replica && next.id.seq > start.seq {
            guard next.stamp.rawValue == stamp.rawValue + 1 else { break }
            stamp = next.stamp
            if case .pause(run, let instant?) = next.action, let from = since {
                intervals.append(NaiveInterval(from: from, to: min(instant, end)))
                since = nil
            }
            if case .resume(run, let instant?) = next.action { since = max(at, instant) }
        }
        if let since { intervals.append(NaiveInterval(from: since, to: end)) }
        runs = [run]
        from[run] = at
        lastPress[run] = event.stamp
        phases = [
            NaiveRecord(
                run: run, ordinal: 0, activity: "work", startedAt: at, endedAt: end,
                intervals: intervals.filter { $0.from < $0.to }, outcome: "stopped",
                label: naiveClean(content.label ?? ""))
        ]
        notedAt = end
    }

    /// Adds a later note. If both notes have a phase, the version with more running time stays.
    private mutating func add(_ later: NaiveShown) {
        for run in later.runs {
            var known = phases.filter { $0.run == run }
            for phase in later.phases where phase.run == run {
                guard let place = known.firstIndex(where: { $0.ordinal == phase.ordinal }) else {
                    known.append(phase)
                    continue
                }
                if known[place].active < phase.active { known[place] = phase }
            }
            phases = phases.filter { $0.run != run } + known
            if runs.contains(run) {
                from[run] = min(from[run] ?? .distantFuture, later.from[run] ?? .distantFuture)
                lastPress[run] = max(lastPress[run] ?? .zero, later.lastPress[run] ?? .zero)
            } else {
                runs.append(run)
                from[run] = later.from[run]
                lastPress[run] = later.lastPress[run]
            }
            if later.ownAndEnded.contains(run) { ownAndEnded.insert(run) } else { ownAndEnded.remove(run) }
        }
        runs.sort()
        present = later.present
        notedAt = later.notedAt
    }

    /// Drops the parts that no longer hold, because of later presses on this device or because the machine
    /// slept.
    ///
    /// - Returns: The branches of §5 that were reached.
    mutating func removeOutdated(
        by log: [Event], own: Set<ReplicaID>, hasSlept: Bool
    ) -> Set<NaiveRule> {
        var rules: Set<NaiveRule> = []
        if hasSlept { present = nil }
        for event in log where own.contains(event.id.replica) && event.time > notedAt {
            // The note already includes the presses up to the last noted one.
            guard lastPress.filter({ runs.contains($0.key) }).allSatisfy({ $0.value < event.stamp }) else {
                continue
            }
            switch event.action {
            case .undo:
                rules.insert(.noteTakenBack)
                (runs, phases, present) = ([], [], nil)
                return rules
            case .start, .pause, .resume, .stop, .skip, .complete, .rest, .adjust, .label, .set, .profile:
                rules.insert(.pressedSinceNoted)
                present = nil
                // A press with an `at` removes the noted phases of its run that ended after that.
                guard let run = event.action.run, let at = event.action.at else { continue }
                rules.insert(.noteEnded)
                phases.removeAll { $0.run == run && $0.endedAt > at }
            default: continue
            }
        }
        return rules
    }

    /// The phases that a device with these events shows at an instant, of runs with pending presses.
    private init(_ events: [Event], _ pending: Set<EventID>, own: Set<ReplicaID>, at instant: SharedInstant) {
        notedAt = instant
        guard let log = NaiveTimer.log(of: events) else { return }
        let undo = NaiveUndo(sorted: log)
        let standing = undo.notUndone.filter { pending.contains($0.id) }
        var started: Set<RunID> = []
        // First, the runs of the pending presses. An undo counts as a press on the run of the press that it
        // takes back, perhaps by a chain of undos. It takes effect when that press did, if that was earlier.
        for event in standing {
            var target = event
            while case .undo(let id) = target.action, let next = log.first(where: { $0.id == id }),
                next.position < target.position
            {
                target = next
            }
            let isStart = if case .start = target.action { true } else { false }
            guard let run = isStart ? RunID(target.position) : target.action.run else { continue }
            let effect = min(event.action.at ?? event.time, target.action.at ?? target.time)
            from[run] = min(from[run] ?? effect, effect)
            lastPress[run] = max(lastPress[run] ?? event.stamp, event.stamp)
            if case .start = event.action { started.insert(run) }
        }
        guard !from.isEmpty else { return }
        // Then, the phases of these runs.
        var fold = NaiveFold(undo: undo)
        for event in undo.notUndone { fold.act(event) }
        let worked = NaiveTimer.worked(of: fold, at: instant)
        let inProgress = NaiveShown.inProgress(fold, at: instant)
        let open = Set(NaiveShown.openRuns(fold, at: instant))
        for run in from.keys.sorted() {
            // A phase that ended before the first pending press isn't changed by any of them.
            var shown = worked.filter {
                $0.run == run && $0.active >= 60_000 && $0.endedAt > from[run] ?? 0
            }
            if let inProgress, inProgress.phase.run == run {
                shown.append(inProgress.phase)
                present = inProgress
            }
            guard !shown.isEmpty else { continue }
            runs.append(run)
            phases += shown
            if started.contains(run), !open.contains(run), own.contains(run.starter) {
                ownAndEnded.insert(run)
            }
        }
    }

    /// The runs that are open at an instant.
    private static func openRuns(_ fold: NaiveFold, at now: SharedInstant) -> [RunID] {
        let instant = max(now, fold.latest)
        return fold.runs.values.filter { run in
            var run = run
            run.advance(to: instant, settings: fold.settings(of: run))
            return run.closedAt == nil
        }.map(\.id)
    }

    /// The phase in progress in a fold's state, or nil if there is none.
    static func inProgress(_ fold: NaiveFold, at now: SharedInstant) -> Present? {
        let instant = max(now, fold.latest)
        guard let id = fold.currentID, var run = fold.runs[id] else { return nil }
        run.advance(to: instant, settings: fold.settings)
        let endsAt: SharedInstant
        var isPaused = false
        switch run.clock {
        case .closed, .waiting: return nil
        case .running(_, let end): endsAt = end
        case .paused(let remaining):
            endsAt = instant + remaining
            isPaused = true
        }
        let before = run.records.count
        run.close(at: instant)
        guard run.records.count > before, let phase = run.records.last else { return nil }
        return Present(phase: phase, isPaused: isPaused, endsAt: endsAt)
    }
}
