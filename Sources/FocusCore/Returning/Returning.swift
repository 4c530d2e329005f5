/// What a device does by itself on returning: once it has merged all that its server had, and before it uploads
/// what was pressed while it was away (docs/timer-rules.md §5). Two steps, each on a log that has the one before.
package struct Returning: Hashable, Sendable {
    /// One thing that was done, for the person to be told.
    package enum Deed: Hashable, Sendable {
        /// A session begun while cut off was ended, since the others have one.
        case stoppedOwn(RunID)
        /// A session begun while cut off became everyone's.
        case adopted(RunID)
        /// The others' session was ended as of when this device's own began, as nobody has been at it since.
        case closed(RunID)
        /// A session begun in the same moment as another device's was ended: this device is in that one now.
        case joined(RunID)
        /// A press made while cut off was taken back, since another device pressed later.
        case tookBack(Event)
        /// An undo made while cut off was taken back, since another device went on with what it took away.
        case putBack(Event)
        /// A setting changed while cut off was set anew.
        case setAnew(key: String, value: Int64)
        /// The phase that somebody is in the middle of goes on in a new session.
        case wentOn(RunID)
        /// So much work that would have been lost was kept as records.
        case kept(Duration)
    }

    /// What the device authors, in this order.
    package internal(set) var actions: [Action] = []
    /// What that comes to, in the order in which it was decided. An action may have no deed of its own.
    package internal(set) var deeds: [Deed] = []
    /// Whether a setting that was changed while the device was cut off was taken back.
    package private(set) var hasLostSetting = false

    /// Rules 2 to 4, the first step: what to do about presses, undos and settings that others have overtaken.
    ///
    /// Cost: linear in the events since the first that what is pending may have changed.
    ///
    /// - Parameters:
    ///   - pending: The device's events that nobody else has had yet, in replay order.
    ///   - state: The replay of `log`.
    ///   - own: All replicas that this device has been.
    ///   - returnUndos: The stamps of the undos among `pending` that the device wrote by itself on returning earlier.
    package init<Log: ReplayLog>(
        overtaken pending: [Event], of state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>,
        returnUndos: Set<Stamp>
    ) throws(Log.Failure) {
        guard !pending.isEmpty else { return }
        let others = try OthersPresses(besides: pending, in: log, own)
        let names = Set(pending.map { $0.id })
        var standing: [Change] = []
        var changes = ChangesTakenBack()
        for event in pending where try !log.isTakenBack(event) {
            // What was decided stays: taken back again and again, it would grow without end.
            if returnUndos.contains(event.stamp), Undo(event) != nil { continue }
            let target = try changes.change(by: event, in: log)
            if let target, target != event, names.contains(target.id) { continue }
            standing.append(Change(event: event, target: target))
        }
        takeBackPresses(standing.map { $0.event }, others)
        takeBackUndos(standing, others)
        setAnew(standing, others, state.settings)
    }

    /// A pending event that stands.
    private struct Change {
        let event: Event
        /// The event itself, or what it takes back or puts back in the end; nil where the log hasn't got that.
        let target: Event?
    }

    private mutating func takeBackPresses(_ standing: [Event], _ others: OthersPresses) {
        let presses = Dictionary(grouping: standing.filter { $0.action.canBeOvertaken }) { $0.action.run }
        for event in standing where event.action.canBeOvertaken {
            guard let run = event.action.run, let last = others.overtaking(presses[run] ?? [], on: run),
                event.stamp < last
            else { continue }
            actions.append(.undo(event.id))
            deeds.append(.tookBack(event))
        }
    }

    private mutating func takeBackUndos(_ standing: [Change], _ others: OthersPresses) {
        for change in standing where change.event != change.target {
            guard let run = change.target?.runChanged,
                others.havePressed(on: run, since: change.event.stamp)
            else { continue }
            actions.append(.undo(change.event.id))
            deeds.append(.putBack(change.event))
        }
    }

    private mutating func setAnew(_ standing: [Change], _ others: OthersPresses, _ settings: Settings) {
        var anew: [(key: String, value: Int64)] = []
        for change in standing {
            guard case .set(let key, var value)? = change.target?.action else { continue }
            // Whatever comes of this one, what was set before it doesn't hold.
            anew.removeAll { $0.key == key }
            guard others.haveGoneOn(since: change.event.stamp, with: key) else { continue }
            actions.append(.undo(change.event.id))
            hasLostSetting = true
            guard !others.haveSet(key, since: change.event.stamp) else { continue }
            if change.event != change.target {
                guard let key = SettingKey(rawValue: key) else { continue }
                value = settings[key]
            }
            anew.append((key, value))
        }
        for (key, value) in anew {
            actions.append(.set(key: key, value: value))
            deeds.append(.setAnew(key: key, value: value))
        }
    }
}

extension Action {
    /// Whether a later press of another device may overtake it: what only adds something to a session contradicts
    /// nothing.
    fileprivate var canBeOvertaken: Bool {
        switch self {
        case .pause, .resume, .stop, .skip: true
        default: false
        }
    }
}

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
