// Rule 1 of docs/timer-rules.md §5, the second step.
extension Returning {
    /// What to do about the runs that this device started and that are side runs of `state`, at `now`.
    ///
    /// `state` is the replay of `log` with the first step in it, since taking a press back may bring back a
    /// session that another one of this device then stands beside. Cost: linear in the events after the first of
    /// those runs.
    ///
    /// - Parameter own: All replicas that this device has been.
    package init<Log: ReplayLog>(
        sideRunsOf state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>, at now: SharedInstant
    ) throws(Log.Failure) {
        var ended = EndedPhases()
        var toStop = state.sideRuns.map { $0.run }.filter { own.contains($0.id.starter) }
        guard !toStop.isEmpty else { return }
        let instant = max(now, state.latestEffect)
        let current = state.advanced(to: now, &ended)
        let newestOpen = toStop.lastIndex { run in
            guard let side = state.sideRuns.first(where: { $0.run.id == run.id }) else { return false }
            var run = run
            return run.advance(to: instant, side.settings, &ended) == .open
        }
        if let newestOpen {
            if let current {
                if let stop = try stop(leaving: current, for: toStop[newestOpen], log, own) {
                    actions.append(stop)
                    deeds.append(.closed(current.id))
                    adopt(toStop.remove(at: newestOpen).id)
                }
            } else {
                adopt(toStop.remove(at: newestOpen).id)
            }
        }
        for run in toStop where try !hasStopped(run.id, log, own) { stop(run, beside: current, own) }
    }

    private mutating func adopt(_ run: RunID) {
        actions.append(.adopt(run))
        deeds.append(.adopted(run))
    }

    /// Ends a side run. Where it was begun in the same moment as the current one, its label goes over to that, if it has
    /// none of its own.
    private mutating func stop(_ side: OpenRun, beside current: OpenRun?, _ own: Set<ReplicaID>) {
        if let current, !side.startedOffline, !own.contains(current.id.starter) {
            if current.label.isEmpty, !side.label.isEmpty {
                actions.append(.label(current.id, text: side.label, at: nil))
            }
            deeds.append(.joined(current.id))
        } else {
            deeds.append(.stoppedOwn(side.id))
        }
        actions.append(.stop(side.id, at: nil))
    }

    /// What ends the current run as of when this device began its own, while cut off. Nil where anybody may be at it: where
    /// another device has written anything since then, but for its name. And nil where this device has ended it before, so
    /// that whoever brings it back has the say.
    private func stop<Log: ReplayLog>(
        leaving current: OpenRun, for side: OpenRun, _ log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) -> Action? {
        guard side.startedOffline, current.id < side.id, !own.contains(current.id.starter),
            let began = try log.event(at: side.id.position), try !hasStopped(current.id, log, own)
        else { return nil }
        var events = try log.events(after: side.id.position)
        while let event = try events.next() {
            if case .device = event.action { continue }
            guard own.contains(event.id.replica) else { return nil }
        }
        return .stop(current.id, at: began.action.at ?? began.time)
    }

    /// Whether this device has authored a stop for the run already, taken back or not.
    private func hasStopped<Log: ReplayLog>(
        _ run: RunID, _ log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) -> Bool {
        var events = try log.events(after: run.position)
        while let event = try events.next() {
            if case .stop(run, _) = event.action, own.contains(event.id.replica) { return true }
        }
        return false
    }
}
