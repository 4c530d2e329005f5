/// The actions that a device writes by itself on returning. It has merged all events of its server, and has
/// not yet uploaded its pending ones (docs/timer-rules.md §5). There are two steps. The second needs a log
/// that includes the first.
package struct ReconnectActions: Hashable, Sendable {
    /// One thing that the device did, to be told to the person.
    package enum Deed: Hashable, Sendable {
        /// Ended a run begun while cut off, because the others have a run.
        case stoppedOwn(RunID)
        /// Made a run begun while cut off the current one.
        case adopted(RunID)
        /// Ended the others' run at the instant at which this device's own run began, because nobody else has
        /// been there since.
        case closed(RunID)
        /// Ended an own run, because another device began a run at the same moment. The value is that other
        /// run.
        case joined(RunID)
        /// Took back a press made while cut off, because another device pressed later.
        case tookBack(Event)
        /// Took back an undo made while cut off, because another device continued with the target of the
        /// undo.
        case putBack(Event)
        /// Set a setting again that was changed while cut off.
        case setAnew(key: String, value: Int64)
        /// Put a profile in force again that was used or saved while cut off.
        case usedAnew(profile: String)
        /// Continued the phase that somebody is in the middle of, in a new run.
        case wentOn(RunID)
        /// Kept work that would have been lost, as records. The value is its total time.
        case kept(Duration)
    }

    /// The actions that the device authors, in this order.
    package internal(set) var actions: [Action] = []
    /// The deeds, in the order in which they were decided. An action may have no deed of its own.
    package internal(set) var deeds: [Deed] = []
    /// Whether a setting that was changed while the device was cut off was taken back.
    package private(set) var hasLostSetting = false

    /// Decides the first step, by rules 2 to 4: the presses, undos and settings to take back, because other
    /// devices have overtaken them.
    ///
    /// Cost: linear in the events since the first one that the pending events may have changed.
    ///
    /// - Parameters:
    ///   - pending: The device's events that no other device has received yet, in replay order.
    ///   - state: The state after replaying `log`.
    ///   - own: All replicas under which this device has written.
    ///   - returnUndos: The stamps of the undos in `pending` that the device wrote by itself on an earlier
    ///     return.
    package init<Log: ReplayLog>(
        overtaken pending: [Event], of state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>,
        returnUndos: Set<Stamp>
    ) throws(Log.Failure) {
        guard !pending.isEmpty else { return }
        let others = try RemotePresses(besides: pending, in: log, own)
        let names = Set(pending.map { $0.id })
        var standing: [Change] = []
        var changes = UndoResolver()
        for event in pending where try !log.isTakenBack(event) {
            // An earlier decision stays. Otherwise undos of undos could grow without end.
            if returnUndos.contains(event.stamp), Undo(event) != nil { continue }
            let target = try changes.change(by: event, in: log)
            // An undo of another pending event stays.
            if let target, target != event, names.contains(target.id) { continue }
            standing.append(Change(event: event, target: target))
        }
        takeBackPresses(standing.map { $0.event }, others)
        takeBackUndos(standing, others)
        setAnew(standing, others, state)
    }

    /// A pending event that still has an effect of its own.
    private struct Change {
        let event: Event
        /// For an undo or a redo, the event that it takes back or puts back in the end, or nil if the log
        /// doesn't have that event. For any other event, the event itself.
        let target: Event?
    }

    /// Takes back pending presses that other devices' later presses overtake (rule 2).
    private mutating func takeBackPresses(_ standing: [Event], _ others: RemotePresses) {
        let presses = Dictionary(grouping: standing.filter { $0.action.canBeOvertaken }) { $0.action.run }
        for event in standing where event.action.canBeOvertaken {
            guard let run = event.action.run, let last = others.overtaking(presses[run] ?? [], on: run),
                event.stamp < last
            else { continue }
            actions.append(.undo(event.id))
            deeds.append(.tookBack(event))
        }
    }

    /// Takes back pending undos and redos if another device has pressed on the run since (rule 3).
    private mutating func takeBackUndos(_ standing: [Change], _ others: RemotePresses) {
        for change in standing where change.event != change.target {
            guard let run = change.target?.runChanged,
                others.havePressed(on: run, since: change.event.stamp)
            else { continue }
            actions.append(.undo(change.event.id))
            deeds.append(.putBack(change.event))
        }
    }

    /// Takes back pending settings and profiles that would change phases of other devices. Sets the last value
    /// of each key again, unless another device has set the key since (rule 4). The keys of a profile are set
    /// together or not at all. `state` is the state after replaying the log.
    private mutating func setAnew(_ standing: [Change], _ others: RemotePresses, _ state: ReplayState) {
        var anew: [Action] = []
        for change in standing {
            guard let target = change.target else { continue }
            let (action, isUndo) = (target.action, change.event != target)
            let keys = action.settingNames
            guard !keys.isEmpty else {
                // The removal of a name comes after the profile that is saved under it again.
                if !isUndo, anew.contains(where: { action.savesSameName(as: $0) }) { anew.append(action) }
                continue
            }
            // These values replace the earlier pending values of their keys, even if they aren't set again.
            anew.removeAll { action.replaces($0) }
            // A profile that is saved again under another name would replace these values.
            let wouldBeReplaced = anew.contains { $0.settingNames.contains { keys.contains($0) } }
            let changesPhases =
                others.haveActed(since: change.event.stamp, orSet: keys) && !others.knew(target)
            guard wouldBeReplaced || changesPhases else { continue }
            actions.append(.undo(change.event.id))
            hasLostSetting = true
            guard !others.haveSet(keys, since: change.event.stamp) else { continue }
            if !isUndo {
                anew.append(action)
                continue
            }
            // After an undo or a redo, the saved name and the values that result from the log count.
            if case .profile(let text, _) = action, let name = Profile.name(text),
                Profile.builtIn.named(name) == nil
            {
                anew.append(.profile(name: name, state.profiles.named(name)?.lengths))
            }
            for key in keys.compactMap({ SettingKey(rawValue: $0) }) {
                anew.append(.set(key: key.rawValue, value: state.settings[key]))
            }
        }
        for action in anew {
            actions.append(action)
            switch action {
            case .set(let key, let value): deeds.append(.setAnew(key: key, value: value))
            case .profile(let name, .some): deeds.append(.usedAnew(profile: name))
            default: break
            }
        }
    }
}

extension Action {
    /// Whether both are profiles of the same name.
    fileprivate func savesSameName(as other: Action) -> Bool {
        guard case .profile(let name, _) = self, case .profile(let others, _) = other else { return false }
        return Text.cleaned(name).utf8.elementsEqual(Text.cleaned(others).utf8)
    }

    /// Whether nothing is left of an earlier action after this one sets its values. Of a profile, the name is
    /// left.
    fileprivate func replaces(_ earlier: Action) -> Bool {
        if case .profile = earlier { return savesSameName(as: earlier) }
        return earlier.settingNames.allSatisfy { settingNames.contains($0) }
    }
}

extension Action {
    /// Whether a later press of another device may overtake the action. An action that only adds something to
    /// a run contradicts nothing.
    fileprivate var canBeOvertaken: Bool {
        switch self {
        case .pause, .resume, .stop, .skip, .complete, .rest: true
        default: false
        }
    }
}

// The second step, rule 1 of docs/timer-rules.md §5.
extension ReconnectActions {
    /// Decides the second step: about the side runs of `state` that this device started, at `now`.
    ///
    /// Cost: linear in the events after the first of those runs.
    ///
    /// - Parameters:
    ///   - state: The state after replaying `log` with the first step. Taking a press back may reopen a run,
    ///     so that another run of this device becomes a side run.
    ///   - own: All replicas under which this device has written.
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
                if let stop = try stopOfAbandoned(current, for: toStop[newestOpen], log, own) {
                    actions.append(stop)
                    deeds.append(.closed(current.id))
                    adopt(toStop.remove(at: newestOpen).id)
                }
            } else {
                adopt(toStop.remove(at: newestOpen).id)
            }
        }
        for run in toStop where try !hasStopped(run.id, log, own) { stopSideRun(run, beside: current, own) }
    }

    private mutating func adopt(_ run: RunID) {
        actions.append(.adopt(run))
        deeds.append(.adopted(run))
    }

    /// Ends a side run. If both runs began at the same moment, the current run gets the side run's label,
    /// unless it has its own.
    private mutating func stopSideRun(_ side: OpenRun, beside current: OpenRun?, _ own: Set<ReplicaID>) {
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

    /// Returns the action that ends the current run at the instant at which this device began its own run
    /// while cut off. Returns nil if another device has written anything but its name since, because somebody
    /// may be there. Returns nil too if this device has ended that run before: then a person has brought it
    /// back.
    private func stopOfAbandoned<Log: ReplayLog>(
        _ current: OpenRun, for side: OpenRun, _ log: borrowing Log, _ own: Set<ReplicaID>
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

    /// Whether this device has already authored a stop of the run, taken back or not.
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
