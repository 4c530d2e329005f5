/// The lookup in the log that replay needs besides the events in order.
package protocol StartLookup {
    associatedtype Failure: Error
    /// Returns the content of the `start` of this run if the log has that event and it is taken back,
    /// otherwise nil.
    func takenBackStart(_ run: RunID) throws(Failure) -> Action.Start?
}

extension ReplayState {
    /// Replays one event, which has to be the next in replay order.
    ///
    /// Cost: one step for each phase that has ended by the event's effective instant, and logarithmic in the
    /// number of open side runs.
    ///
    /// - Parameter isTakenBack: Whether an undo in force names the event.
    package mutating func apply<Lookup: StartLookup>(
        _ event: Event, isTakenBack: Bool, in log: borrowing Lookup, history: inout some HistorySink
    ) throws(Lookup.Failure) {
        position = event.position
        eventCount += 1
        if case .unknown = event.action { unknownCount += 1 }
        if isTakenBack { return }

        switch event.action {
        case .start(let start):
            try apply(start, of: event, in: log, &history)
        case .adjust(let run, _, let seconds, _):
            guard (-86400...86400).contains(seconds) else { return }
            press(event, on: run, &history)
        case .pause(let run, _), .resume(let run, _), .stop(let run, _), .skip(let run, _, _),
            .complete(let run, _, _), .rest(let run, _, _), .label(let run, _, _):
            press(event, on: run, &history)
        case .adopt(let run):
            adopt(run, event, &history)
        case .set(let key, let value):
            set(key, to: value, event, &history)
        case .profile(let name, let lengths):
            profile(name, lengths, event, &history)
        case .device(let name, let key, let publicKey):
            devices[event.id.replica] = Device(name: Text.cleaned(name), key: key, publicKey: publicKey)
        case .revoke(let key): rulings[key] = Ruling(isRevoked: true, position: event.position)
        // A `readmit` does nothing for a key that nobody has revoked before.
        case .readmit(let key) where rulings[key] == nil: return
        case .readmit(let key): rulings[key] = Ruling(isRevoked: false, position: event.position)
        case .record(let record):
            guard let entry = PhaseRecord(record, of: event) else { return }
            history.recorded(entry)
            if record.isByHand { changed(by: event) }
        case .amend(let amend):
            history.amended(amend)
            changed(by: event)
        case .retime(let retime):
            guard let correction = TimeCorrection(retime, of: event) else { return }
            history.corrected(correction)
            changed(by: event)
        case .split(let split):
            history.corrected(TimeCorrection(split, of: event))
            changed(by: event)
        case .undo, .unknown:
            return
        }
    }

    /// Applies an event to the run that it names, brought forward to the event's effective instant. The
    /// result is kept only if the event acts on the run, or if the run has closed by then
    /// (docs/timer-rules.md §4, "Looking and keeping").
    private mutating func press(_ event: Event, on id: RunID, _ history: inout some HistorySink) {
        guard let place = place(of: id) else { return }
        let settings = settings(in: place)
        var instant = SharedInstant.zero
        // For most events, the stored phase isn't over yet. They change the run in place.
        var result = change(place) { run -> PressResult? in
            instant = clamp(event.action.at ?? event.time, run.anchor, event.time)
            return run.isDue(at: instant, settings) ? nil : run.press(event, at: instant, settings, &history)
        }
        if result == nil { result = pressLate(event, on: place, at: instant, settings, &history) }
        switch result {
        case nil, .refused: return
        case .open: break
        case .closed: remove(place)
        }
        latestEffect = max(latestEffect, instant)
        changed(by: event)
    }

    /// Applies an event to a run with a phase that is over by the event's effective instant. Closes the run
    /// and returns nil if it has closed by itself by then.
    private mutating func pressLate(
        _ event: Event, on place: Place, at instant: SharedInstant, _ settings: Settings,
        _ history: inout some HistorySink
    ) -> PressResult? {
        guard var run = openRun(in: place) else { return nil }
        var ended = EndedPhases()
        if case .closed(let closing) = run.advance(to: instant, settings, &ended) {
            close(place, at: closing, ended, &history)
            return nil
        }
        let result = run.press(event, at: instant, settings, &ended)
        guard result != .refused else { return result }
        ended.move(to: &history)
        replace(run, in: place)
        return result
    }

    /// Records the event as the last change.
    private mutating func changed(by event: Event) {
        lastChange = Change(id: event.id, position: event.position)
    }

    /// Applies a `start`. If another run is open, one of the two ends or becomes a side run
    /// (docs/timer-rules.md §4).
    private mutating func apply<Lookup: StartLookup>(
        _ start: Action.Start, of event: Event, in log: borrowing Lookup, _ history: inout some HistorySink
    ) throws(Lookup.Failure) {
        guard start.isInRange(at: event.time) else { return }
        let instant = clamp(start.at ?? event.time, latestEffect, event.time)
        let new = OpenRun(start, id: RunID(event.position), at: instant, settings: settings)
        changed(by: event)
        var ended = EndedPhases()
        guard var standing = current else {
            becomeCurrent(new, at: instant)
            return
        }
        if case .closed(let closing) = standing.advance(to: instant, settings, &ended) {
            close(.current, at: closing, ended, &history)
            becomeCurrent(new, at: instant)
            return
        }
        let knewOfIt = try resolved(start.after, in: log) == standing.id
        if knewOfIt && (!new.startedOffline || standing.startedOffline) {
            // The author knew the current run: it ends.
            standing.endPhase(at: instant, .stopped, &ended)
            ended.move(to: &history)
            becomeCurrent(new, at: instant)
        } else if standing.startedOffline == new.startedOffline
            ? !standing.isRunning(at: instant) : standing.startedOffline
        {
            // The current run becomes a side run, for one of two reasons. Either only it was started offline,
            // or its time doesn't run and the two runs were started alike: both offline, or neither.
            ended.move(to: &history)
            standing.anchor = instant
            insertSideRun(standing)
            becomeCurrent(new, at: instant)
        } else {
            // The current run stays as it was.
            insertSideRun(new)
            latestEffect = max(latestEffect, instant)
        }
    }

    /// Returns the run that an `after` stands for. If it names a start that was taken back, that start's own
    /// `after` is read instead, and so on. Returns nil if such starts name each other in a circle.
    private func resolved<Lookup: StartLookup>(
        _ after: RunID?, in log: borrowing Lookup
    ) throws(Lookup.Failure) -> RunID? {
        guard let after, after != current?.id else { return after }
        var seen: Set<RunID> = []
        var run: RunID? = after
        while let named = run, let start = try log.takenBackStart(named) {
            guard seen.insert(named).inserted else { return nil }
            run = start.after
        }
        return run
    }

    /// Makes a side run the current one, unless an open run is current.
    private mutating func adopt(_ id: RunID, _ event: Event, _ history: inout some HistorySink) {
        guard let place = place(of: id), var run = openRun(in: place) else { return }
        let instant = event.time
        var ended = EndedPhases()
        if case .closed(let closing) = run.advance(to: instant, settings(in: place), &ended) {
            close(place, at: closing, ended, &history)
            return
        }
        guard case .side = place else { return }
        if var standing = current {
            var endedThere = EndedPhases()
            guard case .closed(let closing) = standing.advance(to: instant, settings, &endedThere) else {
                return
            }
            close(.current, at: closing, endedThere, &history)
        }
        ended.move(to: &history)
        remove(place)
        run.touched(by: event, at: instant)
        becomeCurrent(run, at: instant)
        changed(by: event)
    }

    /// Changes a setting. The current run is first brought forward under the old settings.
    private mutating func set(
        _ name: String, to value: Int64, _ event: Event, _ history: inout some HistorySink
    ) {
        if name == ServerSetting.name {
            server = value == 0 ? nil : ServerSetting(key: value, replica: event.id.replica)
            return
        }
        guard let key = SettingKey(rawValue: name), key.range.contains(value), settings[key] != value else {
            return
        }
        if !key.isGoal { bringCurrentForward(to: event.time, &history) }
        settings.set(key, to: value)
        changed(by: event)
    }

    /// Puts the lengths of a profile in force and saves them under its name, or removes the name.
    private mutating func profile(
        _ text: String, _ lengths: PhaseLengths?, _ event: Event, _ history: inout some HistorySink
    ) {
        guard let name = Profile.name(text), lengths?.isInRange ?? true else { return }
        var (newSettings, newProfiles) = (settings, profiles)
        if let lengths { newSettings.use(lengths) }
        newProfiles.save(lengths, named: name)
        guard newSettings != settings || newProfiles != profiles else { return }
        if newSettings != settings { bringCurrentForward(to: event.time, &history) }
        (settings, profiles) = (newSettings, newProfiles)
        changed(by: event)
    }

    /// Brings the current run, if there is one, forward to `instant` under the settings in force, as if
    /// somebody had pressed on it then.
    private mutating func bringCurrentForward(
        to instant: SharedInstant, _ history: inout some HistorySink
    ) {
        guard var run = current else { return }
        var ended = EndedPhases()
        switch run.advance(to: instant, settings, &ended) {
        case .closed(let closing):
            close(.current, at: closing, ended, &history)
        case .open:
            ended.move(to: &history)
            run.anchor = instant
            run.touch(at: instant)
            current = run
            latestEffect = max(latestEffect, instant)
        }
    }

    private mutating func becomeCurrent(_ run: OpenRun, at instant: SharedInstant) {
        current = run
        lastRun = run.id
        latestEffect = max(latestEffect, instant)
    }

    /// Removes a run that closed by itself at `closing`, and passes its ended phases to the history.
    private mutating func close(
        _ place: Place, at closing: SharedInstant, _ ended: EndedPhases, _ history: inout some HistorySink
    ) {
        ended.move(to: &history)
        remove(place)
        latestEffect = max(latestEffect, closing)
    }
}

/// Returns `value` brought into `low...high`, or `low` if that range is empty.
private func clamp<Value: Comparable>(_ value: Value, _ low: Value, _ high: Value) -> Value {
    max(low, min(value, high))
}
