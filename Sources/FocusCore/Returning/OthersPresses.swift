/// What other devices have pressed that came to something, but for labels, as they saw it: on their log, which has
/// nothing of what this device pressed while it was cut off (docs/timer-rules.md §5).
struct OthersPresses {
    /// What they pressed on each run, in replay order.
    private var onRun: [RunID: [Event]] = [:]
    /// The greatest stamp of what they pressed on any run, or of a start of theirs.
    private var last = Stamp.zero
    /// The greatest stamp of what they set each key to.
    private var lastSet: [String: Stamp] = [:]

    /// Cost: linear in the events since the first that what is pending may have changed.
    ///
    /// - Parameters:
    ///   - pending: This device's events that nobody else has had yet.
    ///   - own: All replicas that this device has been.
    init<Log: ReplayLog>(
        besides pending: [Event], in log: borrowing Log, _ own: Set<ReplicaID>
    ) throws(Log.Failure) {
        guard let first = try log.firstAffected(by: pending) else { return }
        let theirs = LogWithout(Set(pending.map { $0.id }), of: copy log)
        var state = try theirs.checkpoint(before: first)
        var history = NoHistory()
        var changes: Set<Position> = []
        let start = state.position
        try theirs.replay(&state, history: &history) { state, _ in
            if let position = state.position, state.lastChange?.position == position {
                changes.insert(position)
            }
            return true
        }
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
            .adjust(let run, _, _, _):
            onRun[run, default: []].append(event)
            last = max(last, event.stamp)
        case .set(let key, _): lastSet[key] = max(lastSet[key] ?? .zero, event.stamp)
        case .label, .adopt, .device, .revoke, .readmit, .record, .amend, .retime, .split, .undo, .unknown:
            break
        }
    }

    /// Whether they have pressed on the run since.
    func havePressed(on run: RunID, since stamp: Stamp) -> Bool {
        onRun[run]?.contains { $0.stamp > stamp } ?? false
    }

    /// Whether they have set the key since.
    func haveSet(_ key: String, since stamp: Stamp) -> Bool { lastSet[key] ?? .zero > stamp }

    /// Whether they have begun or pressed anything since, or set the key: so that it would change what they have seen if
    /// the key had had another value all the while.
    func haveGoneOn(since stamp: Stamp, with key: String) -> Bool {
        last > stamp || haveSet(key, since: stamp)
    }

    /// The stamp of the last of their presses on the run that overtakes any of these, which are this device's own; nil
    /// where none does.
    func overtaking(_ own: [Event], on run: RunID) -> Stamp? {
        onRun[run]?.last { theirs in
            own.contains { $0.stamp < theirs.stamp && theirs.action.overtakes($0.action) }
        }?.stamp
    }
}

extension Action {
    /// Whether this press, which came later, overtakes a press on the same run that others haven't heard of: whether
    /// that would put an end to what they went on with (docs/timer-rules.md §5, the table).
    fileprivate func overtakes(_ earlier: Action) -> Bool {
        switch (earlier, self) {
        case (.stop, .resume), (.stop, .skip), (.stop, .adjust): true
        case (.pause, .skip), (.resume, .skip): true
        case (.skip(_, let ordinal, _), .skip(_, let later, _)): ordinal != later
        default: false
        }
    }
}
