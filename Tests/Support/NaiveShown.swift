import FocusCore

/// What a device shows of what is pending (docs/timer-rules.md §5, "What was shown"), a second time.
struct NaiveShown {
    /// The phase in progress of the current run, as if it were stopped.
    struct Present {
        var phase: NaiveRecord
        var isPaused: Bool
        var endsAt: Int64
    }

    /// The runs that were pressed on, in order.
    private(set) var runs: [RunID] = []
    private(set) var from: [RunID: Int64] = [:]
    private(set) var lastPress: [RunID: Stamp] = [:]
    private(set) var ownAndEnded: Set<RunID> = []
    private(set) var phases: [NaiveRecord] = []
    private(set) var present: Present?

    init(_ events: [Event], _ pending: Set<EventID>, own: Set<ReplicaID>, at instant: Int64) {
        guard let log = NaiveTimer.log(of: events) else { return }
        let worked = NaiveTimer.worked(of: log, at: instant)
        let standing = NaiveUndo(sorted: log).rest.filter { pending.contains($0.id) }
        var started: Set<RunID> = []
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
        let inProgress = NaiveShown.inProgress(log, at: instant)
        let open = Set(NaiveShown.openRuns(log, at: instant))
        for run in from.keys.sorted() {
            var shown = worked.filter {
                $0.run == run && $0.activeMs >= 60_000 && $0.endedAt > from[run] ?? 0
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
    private static func openRuns(_ log: [Event], at now: Int64) -> [RunID] {
        let undo = NaiveUndo(sorted: log)
        var fold = NaiveFold(undo: undo)
        for event in undo.rest { fold.act(event) }
        let instant = max(now, fold.latest)
        return fold.runs.values.filter { run in
            var run = run
            run.advance(to: instant, settings: fold.settings(of: run))
            return run.closedAt == nil
        }.map(\.id)
    }

    static func inProgress(_ log: [Event], at now: Int64) -> Present? {
        let undo = NaiveUndo(sorted: log)
        var fold = NaiveFold(undo: undo)
        for event in undo.rest { fold.act(event) }
        let instant = max(now, fold.latest)
        guard let id = fold.currentID, var run = fold.runs[id] else { return nil }
        run.advance(to: instant, settings: fold.settings)
        let endsAt: Int64
        var isPaused = false
        switch run.clock {
        case .closed: return nil
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
