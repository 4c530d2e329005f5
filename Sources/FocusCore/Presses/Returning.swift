/// What a device does by itself on returning: once it has merged all that its server had, and before it uploads
/// what was pressed while it was away (docs/timer-rules.md §5). Two steps, each on a log that has the one before.
package struct Returning: Hashable, Sendable {
    /// One thing that was done, for the person to be told.
    package enum Deed: Hashable, Sendable {
        /// A session begun while cut off was ended, since the others have one.
        case stoppedOwn(RunID)
        /// A session begun while cut off became everyone's.
        case adopted(RunID)
        /// A press made while cut off was taken back, since another device pressed later.
        case tookBack(EventID)
        /// A setting changed while cut off was set anew.
        case setAnew(key: String, value: Int64)
    }

    /// What the device authors, in this order.
    package private(set) var actions: [Action] = []
    package private(set) var deeds: [Deed] = []

    /// Rules 2 and 3, the first step: what to do about presses and settings that others have overtaken.
    ///
    /// Cost: linear in the events after the first pending one.
    ///
    /// - Parameters:
    ///   - pending: The device's events that nobody else has had yet, in replay order.
    ///   - own: All replicas that this device has been.
    package init<Log: ReplayLog>(
        overtaken pending: [Event], in log: borrowing Log, own: Set<ReplicaID>
    ) throws(Log.Failure) {
        guard let first = pending.first else { return }
        let others = try OthersPresses(after: first.position, in: log, own)
        var anew: [(key: String, value: Int64)] = []
        for event in pending {
            switch event.action {
            case .pause(let run, _), .resume(let run, _), .stop(let run, _), .skip(let run, _, _),
                .adjust(let run, _, _, _):
                guard let last = others.last[run], last > event.stamp, try !log.isTakenBack(event) else {
                    continue
                }
                actions.append(.undo(event.id))
                deeds.append(.tookBack(event.id))
            case .set(let key, let value):
                guard try !log.isTakenBack(event) else { continue }
                // Whatever comes of this one, what was set before it doesn't hold.
                anew.removeAll { $0.key == key }
                guard others.lastOfAll > event.stamp else { continue }
                actions.append(.undo(event.id))
                anew.append((key, value))
            default: continue
            }
        }
        for (key, value) in anew {
            actions.append(.set(key: key, value: value))
            deeds.append(.setAnew(key: key, value: value))
        }
    }

    /// Rule 1, the second step: what to do about the runs that this device started and that are side runs of
    /// `state`, at `now` (milliseconds since the Unix epoch).
    ///
    /// `state` is the replay of `log` with the first step in it, since taking a press back may bring back a
    /// session that another one of this device then stands beside. Cost: linear in the events after the first of
    /// those runs.
    ///
    /// - Parameter own: All replicas that this device has been.
    package init<Log: ReplayLog>(
        sideRunsOf state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>, at now: Int64
    ) throws(Log.Failure) {
        var ended = EndedPhases()
        var toStop = state.sideRuns.filter { own.contains($0.run.id.starter) }
        let instant = max(now, state.latestEffect)
        let newestOpen = toStop.lastIndex { side in
            var run = side.run
            return run.advance(to: instant, side.settings, &ended) == .open
        }
        if state.advanced(to: now, &ended) == nil, let newestOpen {
            let adopted = toStop.remove(at: newestOpen).run.id
            actions.append(.adopt(adopted))
            deeds.append(.adopted(adopted))
        }
        for side in toStop where try !hasStopped(side.run.id, log, own) {
            actions.append(.stop(side.run.id, at: nil))
            deeds.append(.stoppedOwn(side.run.id))
        }
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

/// When other devices last pressed.
private struct OthersPresses {
    /// The greatest stamp of their events that act on a run.
    private(set) var last: [RunID: Stamp] = [:]
    /// The greatest stamp of all their events.
    private(set) var lastOfAll = Stamp.zero

    init<Log: ReplayLog>(
        after position: Position, in log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) {
        var events = try log.events(after: position)
        while let event = try events.next() {
            guard !own.contains(event.id.replica) else { continue }
            lastOfAll = max(lastOfAll, event.stamp)
            if let run = event.action.run { last[run] = max(last[run] ?? .zero, event.stamp) }
        }
    }
}
