// The events that an undo and a redo take back (docs/timer-rules.md §5).

/// The greatest number of changes, and of undos, that `recentPress` skips. A status is made often, and
/// devices that return write far fewer.
private let mostSkipped = 64

extension ReplayLog {
    /// Returns the event that an undo takes back, or nil if there is none.
    ///
    /// - Parameter state: The state after replaying this log.
    package func undoable(_ state: ReplayState) throws(Failure) -> Event? {
        // The device itself wrote the settings at the start of the log, so they can't be undone.
        guard !state.isBeginning, let change = try lastPress(state) else { return nil }
        return try event(change.id)
    }

    /// Returns the last change that a person made by a press, or nil if there is none. Events that devices
    /// write by themselves on returning don't count: `adopt`, events on side runs, corrections of kept work.
    /// Cost: linear in the events since that change and the checkpoint before it.
    ///
    /// - Parameter state: The state after replaying this log.
    func lastPress(_ state: ReplayState) throws(Failure) -> ReplayState.Change? {
        var past = PastChanges(state)
        while let last = try past.last(in: self) {
            guard let event = try event(last.change.id), let first = try firstSelfWritten(event, last, state)
            else { return last.change }
            past.removeAll(from: first)
        }
        return nil
    }

    /// Returns the position of the first event that a device wrote by itself on returning together with this
    /// change, perhaps of the change itself. Returns nil if a person pressed it.
    private func firstSelfWritten(
        _ event: Event, _ entry: PastChanges.Entry, _ state: ReplayState
    ) throws(Failure) -> Position? {
        switch event.action {
        case .adopt: return event.position
        case .amend:
            // A device writes a correction by itself only together with kept work.
            return try keptTogether(with: event).map { min($0.position, event.position) }.min()
        default:
            // A press on a run that wasn't the last current one was on a side run.
            guard let run = event.action.run, run != entry.lastRun, run != state.lastRun else { return nil }
            return event.position
        }
    }

    /// Returns the event of the last press, which may be an undo or a redo. Returns nil if it was made before
    /// `start`, if nobody has pressed, or after `mostSkipped` skips. It skips the first settings, all that
    /// `lastPress` skips, and the undos and settings that a returning device writes (§5, rules 2 to 4). While
    /// a run is current, presses on other runs are skipped too.
    ///
    /// - Parameter state: The state after replaying this log.
    package func recentPress(_ state: ReplayState, since start: SharedInstant) throws(Failure) -> Event? {
        // In most logs the last event is old, so there is nothing to look up.
        guard let last = state.position, last.stamp.time >= start else { return nil }
        var past = PastChanges(state)
        var skipped = 0
        while let entry = try past.last(in: self), let event = try event(entry.change.id) {
            var first = try firstSelfWritten(event, entry, state)
            if first == nil, event.time >= start {
                var isSkipped = try isSetAgain(event)
                if let current = state.current?.id, let run = event.runChanged {
                    isSkipped = isSkipped || run != current
                }
                if isSkipped { first = event.position }
            }
            guard let first else { break }
            skipped += 1
            guard skipped <= mostSkipped else { return nil }
            past.removeAll(from: first)
        }
        let change = try past.last(in: self)?.change
        let undos = try undos(after: change?.position)
        for (place, undo) in undos.reversed().enumerated() {
            // All undos before an old one are old too, and so is the change.
            guard undo.position.stamp.time >= start, place < mostSkipped else { return nil }
            guard let event = try self.event(undo.id), let target = try self.event(undo.target) else {
                continue
            }
            // A returning device takes back its own press from before the last press. A person takes back
            // only an event after it.
            if let change, target.id.replica == undo.id.replica, target.position < change.position {
                continue
            }
            return event
        }
        guard !state.isBeginning, let change, let event = try self.event(change.id), event.time >= start
        else { return nil }
        return event
    }

    /// Whether a returning device wrote this setting again (§5, rule 4). It did if an undo is before the
    /// setting in the same transaction. Cost: a lookup for each of up to 32 settings.
    private func isSetAgain(_ event: Event) throws(Failure) -> Bool {
        var last = event
        for _ in 0..<32 {
            switch last.action {
            case .set, .profile: break
            case .undo: return true
            default: return false
            }
            guard let before = try neighbour(of: last, before: true) else { return false }
            last = before
        }
        return false
    }

    /// Returns the last undo in force that takes back an event other than an undo, or nil if anything was
    /// changed since. A redo takes it back. An import's undo of a first setting doesn't count, because nobody
    /// pressed it. Cost: linear in the undos since the last change.
    package func lastUndo(_ state: ReplayState) throws(Failure) -> Undo? {
        var takenBack: Set<EventID> = []
        for undo in try undos(after: state.lastChange?.position).reversed()
        where !takenBack.contains(undo.id) {
            guard let target = try event(undo.target), !target.isFirstSetting else { continue }
            guard Undo(target) != nil else { return undo }
            if undo.reaches(target) { takenBack.insert(target.id) }
        }
        return nil
    }

    /// Returns the event to take back next if two devices made the same press. With `target` taken back, the
    /// other press takes effect instead of repeating it, and the timer looks the same. Returns nil if the
    /// timer changed, or if there is no such press.
    ///
    /// - Parameters:
    ///   - shown: The timer that was shown before `target` was taken back.
    ///   - state: The state after replaying this log, in which `target` is taken back.
    package func standIn(
        for target: Event, shown: TimerState, _ state: ReplayState, at now: SharedInstant
    ) throws(Failure) -> EventID? {
        guard TimerState(state, at: now).looksLike(shown) else { return nil }
        if let undo = Undo(target) {
            // A redo: another undo of the same event may still keep it taken back.
            guard let event = try event(undo.target), try isTakenBack(event) else { return nil }
            for other in try undos(of: undo.target).reversed() {
                guard let event = try self.event(other.id), try !isTakenBack(event) else { continue }
                return other.id
            }
            return nil
        }
        // An undo: the other press is the last change now.
        guard let change = state.lastChange, change.position > target.position else { return nil }
        return change.id
    }

    /// Returns the state after replaying the log up to the last event before a position.
    ///
    /// Cost: linear in the events since the checkpoint before it.
    package func state(before position: Position) throws(Failure) -> ReplayState {
        var state = try checkpoint(before: position)
        var history = NoHistory()
        try replay(&state, before: position, history: &history)
        return state
    }
}

/// The changes in force of a log, from the last one back.
///
/// Cost: linear in the events from the last replay's beginning on. Each replay begins at least twice as far
/// back as the one before, so all together replay at most twice that number.
private struct PastChanges {
    /// A change, and the run that was the last current one right after it.
    struct Entry {
        let change: ReplayState.Change
        let lastRun: RunID?
    }

    /// The number of events in the log.
    private let eventCount: UInt64
    /// The changes after `base` that are left, in replay order.
    private var entries: [Entry]
    /// The state at the checkpoint from which the last replay began.
    private var base: ReplayState
    /// The position from which on all changes were removed, or nil if none were.
    private var end: Position?

    /// - Parameter state: The state after replaying the log.
    init(_ state: ReplayState) {
        eventCount = state.eventCount
        entries = state.lastChange.map { [Entry(change: $0, lastRun: state.lastRun)] } ?? []
        base = state
    }

    /// Returns the last change that is left, or nil if there is none.
    mutating func last<Log: ReplayLog>(in log: borrowing Log) throws(Log.Failure) -> Entry? {
        while entries.isEmpty, let change = base.lastChange {
            let covered = distance(to: base)
            base = try log.checkpoint(before: change.position)
            while distance(to: base) / 2 < covered, let earlier = base.lastChange {
                base = try log.checkpoint(before: earlier.position)
            }
            var (state, history) = (base, NoHistory())
            var found: [Entry] = []
            var known = base.lastChange
            try log.replay(&state, before: end, history: &history) { (state, _) throws(Log.Failure) in
                if let change = state.lastChange, change != known {
                    found.append(Entry(change: change, lastRun: state.lastRun))
                    known = change
                }
                return true
            }
            entries = found
        }
        return entries.last
    }

    /// Removes the changes from `position` on, which isn't after the last one.
    mutating func removeAll(from position: Position) {
        end = position
        while let last = entries.last, last.change.position >= position { entries.removeLast() }
    }

    /// Returns the number of events from a state to the log's end.
    private func distance(to state: ReplayState) -> UInt64 { eventCount - min(eventCount, state.eventCount) }
}

extension TimerState {
    /// The largest difference in time between presses that count as made at the same moment.
    private static let tolerance = Duration.seconds(10)

    /// Whether a person sees the same timer: the same phase of the same run under the same settings, running
    /// or paused. The times may differ by up to `tolerance`.
    fileprivate func looksLike(_ other: TimerState) -> Bool {
        guard settings == other.settings, run?.id == other.run?.id, run?.ordinal == other.run?.ordinal,
            run?.label == other.run?.label
        else { return false }
        switch (status, other.status) {
        case (.stopped, .stopped): return true
        case (.waiting(_, let begins, _), .waiting(_, let others, _)):
            return (begins - others).magnitude <= TimerState.tolerance
        case (.running(_, let endsAt, _), .running(_, let others, _)):
            return (endsAt - others).magnitude <= TimerState.tolerance
        case (.paused(_, let remaining), .paused(_, let others)):
            return (remaining - others).magnitude <= TimerState.tolerance
        default: return false
        }
    }
}

extension ReplayState {
    /// Whether the undo of an event from `time` adds more to the history than the phase in progress at
    /// `time`. An example is the undo of a stop from hours ago: the run continues from `time`, and by `now`
    /// the next phase has ended too, or the run has closed. Call this on the state with the undo.
    package func addsLaterPhases(sinceUndone time: SharedInstant, by now: SharedInstant) -> Bool {
        var ended = EndedPhases()
        guard var then = current, case .open = then.advance(to: max(time, then.anchor), settings, &ended)
        else {
            return false
        }
        guard let present = advanced(to: now, &ended) else { return true }
        // While the next phase is in progress, only the phase of `time` was added.
        return present.phase.ordinal > then.phase.ordinal + 1
    }

    /// Whether `addsLaterPhases` may be true once an event is undone. It can't be true before the shortest
    /// phase's length has passed since the event.
    ///
    /// Call this on the state without the undo.
    package func mayAddLaterPhases(onceUndone event: Event, by now: SharedInstant) -> Bool {
        // With other settings, phases may take less.
        if !event.action.settingNames.isEmpty { return true }
        let shortest = [SettingKey.workLength, .shortBreakLength, .longBreakLength].map { settings[$0] }.min()
        return now - event.time >= .seconds(shortest ?? 0)
    }

    /// Whether a phase may have ended since an event took effect, so that taking the event back may remove the
    /// phase. A backdated press may have ended a phase itself.
    ///
    /// Call this on the state without the undo.
    package func mayRemovePhase(onceUndone event: Event, by now: SharedInstant) -> Bool {
        var ended = EndedPhases()
        guard let present = advanced(to: now, &ended) else { return true }
        guard let at = event.action.at, at < event.time else { return present.phase.startedAt > event.time }
        return present.phase.startedAt >= at
    }
}
