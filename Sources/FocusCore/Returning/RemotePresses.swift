/// The other devices' presses that took effect in the log without this device's pending events
/// (docs/timer-rules.md §5). Labels don't count.
struct RemotePresses {
    /// Their presses on each run, in replay order.
    private var onRun: [RunID: [Event]] = [:]
    /// The greatest stamp of their presses on any run, and of their starts.
    private var last = Stamp.zero
    /// The greatest stamp of their `set` and `profile` events for each key.
    private var lastSet: [String: Stamp] = [:]
    /// The lengths in force after the events of that log that changed them, in replay order. The first are
    /// those before all pending events.
    private var lengths: [(after: Position?, values: PhaseLengths)] = []

    /// Finds the presses. Cost: linear in the events since the first one that the pending events may have
    /// changed.
    ///
    /// - Parameters:
    ///   - pending: This device's events that no other device has received yet.
    ///   - own: All replicas under which this device has written.
    init<Log: ReplayLog>(
        besides pending: [Event], in log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) {
        guard let first = try log.firstAffected(by: pending) else { return }
        let theirs = LogWithout(Set(pending.map { $0.id }), of: copy log)
        var state = try theirs.checkpoint(before: first)
        var history = NoHistory()
        var changes: Set<Position> = []
        let start = state.position
        var lengths = [(after: start, values: PhaseLengths(state.settings))]
        try theirs.replay(&state, history: &history) { state, _ in
            if let position = state.position, state.lastChange?.position == position {
                changes.insert(position)
                let values = PhaseLengths(state.settings)
                if lengths.last?.values != values { lengths.append((position, values)) }
            }
            return true
        }
        self.lengths = lengths
        var events = try theirs.events(after: start)
        while let event = try events.next() {
            guard changes.contains(event.position), !own.contains(event.id.replica) else { continue }
            record(event)
        }
    }

    private mutating func record(_ event: Event) {
        switch event.action {
        case .start: last = max(last, event.stamp)
        case .pause(let run, _), .resume(let run, _), .stop(let run, _), .skip(let run, _, _),
            .complete(let run, _, _), .rest(let run, _, _), .adjust(let run, _, _, _):
            onRun[run, default: []].append(event)
            last = max(last, event.stamp)
        case .set, .profile:
            for key in event.action.settingNames { lastSet[key] = max(lastSet[key] ?? .zero, event.stamp) }
        case .label, .adopt, .device, .revoke, .readmit, .record, .amend, .retime, .split, .undo, .unknown:
            break
        }
    }

    /// Whether other devices have pressed on the run since `stamp`.
    func havePressed(on run: RunID, since stamp: Stamp) -> Bool {
        onRun[run]?.contains { $0.stamp > stamp } ?? false
    }

    /// Whether other devices have set one of the keys since `stamp`.
    func haveSet(_ keys: [String], since stamp: Stamp) -> Bool {
        keys.contains { lastSet[$0] ?? .zero > stamp }
    }

    /// Whether a profile's lengths were in force in that log before the event that uses it. If so, that event
    /// changes no setting there.
    func knew(_ event: Event) -> Bool {
        guard case .profile(_, let used?) = event.action else { return false }
        return lengths.last { event.position.isAfter($0.after) }?.values == used
    }

    /// Whether other devices have started or pressed on any run since `stamp`, or set one of the keys. If so,
    /// a change of the keys at `stamp` would change phases that they have shown.
    func haveActed(since stamp: Stamp, orSet keys: [String]) -> Bool {
        last > stamp || haveSet(keys, since: stamp)
    }

    /// Returns the stamp of the other devices' last press on the run that overtakes a press of this device.
    /// Nil if there is none.
    ///
    /// - Parameter own: This device's presses on the run.
    func overtaking(_ own: [Event], on run: RunID) -> Stamp? {
        onRun[run]?.last { theirs in
            own.contains { $0.stamp < theirs.stamp && theirs.action.overtakes($0.action) }
        }?.stamp
    }
}

extension Action {
    /// Whether this press overtakes an earlier press on the same run that its author didn't know of. It does
    /// if the earlier press would end what the author continued with (docs/timer-rules.md §5, the table).
    fileprivate func overtakes(_ earlier: Action) -> Bool {
        switch (earlier, self) {
        case (.stop, .resume), (.stop, .adjust): true
        case (.stop, _), (.pause, _), (.resume, _): endedOrdinal != nil
        default: earlier.endedOrdinal.flatMap { ordinal in endedOrdinal.map { $0 != ordinal } } ?? false
        }
    }

    /// The ordinal of the phase that the press ends while its run goes on, or nil if it ends none.
    private var endedOrdinal: Int64? {
        switch self {
        case .skip(_, let ordinal, _), .complete(_, let ordinal, _), .rest(_, let ordinal, _): ordinal
        default: nil
        }
    }
}
