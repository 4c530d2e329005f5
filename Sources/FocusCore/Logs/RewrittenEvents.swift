extension Action {
    /// Returns the action with its references mapped: `run` maps the runs that it names, and `event` maps the
    /// event that it undoes. It serves events that move to another replica (docs/protocol.md, "Parted
    /// branches").
    package func mapping(run map: (RunID) -> RunID, event mapEvent: (EventID) -> EventID) -> Action {
        switch self {
        case .start(var start):
            start.after = start.after.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(map(run), at: at)
        case .resume(let run, let at): return .resume(map(run), at: at)
        case .stop(let run, let at): return .stop(map(run), at: at)
        case .skip(let run, let ordinal, let at): return .skip(map(run), ordinal: ordinal, at: at)
        case .complete(let run, let ordinal, let at): return .complete(map(run), ordinal: ordinal, at: at)
        case .rest(let run, let ordinal, let at): return .rest(map(run), ordinal: ordinal, at: at)
        case .adjust(let run, let ordinal, let seconds, let at):
            return .adjust(map(run), ordinal: ordinal, seconds: seconds, at: at)
        case .label(let run, let text, let at): return .label(map(run), text: text, at: at)
        case .adopt(let run): return .adopt(map(run))
        case .amend(var amend):
            amend.run = map(amend.run)
            return .amend(amend)
        case .retime(var retime):
            retime.run = map(retime.run)
            return .retime(retime)
        case .split(var split):
            split.run = map(split.run)
            return .split(split)
        case .undo(let target): return .undo(mapEvent(target))
        case .set, .profile, .device, .record, .revoke, .readmit, .unknown: return self
        }
    }

    /// Returns the action with the instants that it names for its effect, `at` and `begins`, replaced by `map`.
    package func mapping(at map: (SharedInstant) -> SharedInstant) -> Action {
        switch self {
        case .start(var start):
            start.at = start.at.map(map)
            start.begins = start.begins.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(run, at: at.map(map))
        case .resume(let run, let at): return .resume(run, at: at.map(map))
        case .stop(let run, let at): return .stop(run, at: at.map(map))
        case .skip(let run, let ordinal, let at): return .skip(run, ordinal: ordinal, at: at.map(map))
        case .complete(let run, let ordinal, let at):
            return .complete(run, ordinal: ordinal, at: at.map(map))
        case .rest(let run, let ordinal, let at): return .rest(run, ordinal: ordinal, at: at.map(map))
        case .adjust(let run, let ordinal, let seconds, let at):
            return .adjust(run, ordinal: ordinal, seconds: seconds, at: at.map(map))
        case .label(let run, let text, let at): return .label(run, text: text, at: at.map(map))
        case .adopt, .set, .profile, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit,
            .unknown:
            return self
        }
    }

    /// The run that the action names: the run that it acts on, a start's `after`, or the run of the record
    /// that it corrects.
    package var namedRun: RunID? {
        switch self {
        case .start(let start): start.after
        case .amend(let amend): amend.run
        case .retime(let retime): retime.run
        case .split(let split): split.run
        default: run
        }
    }
}

/// The move of a replica's tail to a replica of its own. The tail begins with the first event that differs in
/// another log (docs/protocol.md, "Parted branches").
package enum Branching {
    /// Returns the tail as events of `branch`, numbered from 1. Stamps are kept, and references within the
    /// tail are mapped. An event's result depends only on the events before it. So every device makes the
    /// same events from a tail, and a longer tail begins with the same events.
    ///
    /// - Parameter tail: The events of one replica without holes, by seq.
    package static func moved(_ tail: [Event], to branch: ReplicaID) -> [Event] {
        guard let first = tail.first else { return [] }
        let replica = first.id.replica
        // The stamps of the earlier events of the tail, which later events may name as runs.
        var namedHere: Set<Stamp> = []
        return tail.enumerated().map { index, event in
            let action = event.action.mapping(
                run: { run in
                    guard run.starter == replica, namedHere.contains(run.position.stamp) else { return run }
                    return RunID(stamp: run.position.stamp, replica: branch)
                },
                event: { target in
                    guard target.replica == replica, target.seq >= first.id.seq else { return target }
                    return EventID(replica: branch, seq: (target.seq - first.id.seq) &+ 1)
                })
            // A start begins a run. A correction also names the position of a `record` or a `split` as a run.
            namedHere.insert(event.stamp)
            return Event(replica: branch, seq: UInt64(index) + 1, stamp: event.stamp, action: action)
        }
    }
}

/// The events that a device wrote while its clock was ahead, written again before any other device has them
/// (docs/protocol.md, "Re-authoring").
package struct ReauthoredEvents {
    /// The rewritten events, by seq.
    package private(set) var events: [Event] = []

    /// The time by which events are set back.
    private let shift: Duration
    private let replica: ReplicaID
    /// The new ids of the rewritten events that others may name as runs, by their old ids.
    private var runs: [RunID: RunID] = [:]
    /// The new names of the rewritten events, by their old names.
    private var ids: [EventID: EventID] = [:]
    /// The new stamps of the rewritten events, by their old names.
    private var stamps: [EventID: Stamp] = [:]

    /// Rewrites the events as those of `replica`, numbered from 1. Each stamp is set back by the error, but
    /// stays greater than the stamp before it and the stamps that the event names. References to the events
    /// are mapped, and each `at` is set back. The times of a `record`, `retime` or `split` are set back if
    /// they would be after its event.
    ///
    /// - Parameters:
    ///   - events: The device's events that the server lacks and won't accept, in replay order, of one or
    ///     more of its replicas. None of them has left the device.
    ///   - error: The time by which the device's clock was found to be ahead. If the last event is further
    ///     ahead of `now`, that lead is used instead.
    ///   - replica: A fresh replica.
    ///   - counts: Returns whether the events that name this run have to come after it. It is called only for
    ///     runs that aren't rewritten.
    ///   - stamp: Returns the stamp of another event of the log, or nil if the log doesn't have it.
    package init<Failure: Error>(
        _ events: [Event], error: Duration, now: SharedInstant, as replica: ReplicaID,
        counts: (RunID) throws(Failure) -> Bool, stamp: (EventID) throws(Failure) -> Stamp?
    ) throws(Failure) {
        // All values are brought into the range of stamps, so that nothing can overflow.
        let range = SharedInstant.zero...Stamp.timeLimit
        let lead = (events.last?.time ?? .zero) - min(max(now, range.lowerBound), range.upperBound)
        shift = min(max(error, lead, .zero), range.upperBound - range.lowerBound)
        self.replica = replica
        for event in events {
            var named: [Stamp] = []
            if let run = event.action.namedRun {
                if let moved = runs[run] {
                    named.append(moved.position.stamp)
                } else if try counts(run) {
                    named.append(run.position.stamp)
                }
            }
            if case .undo(let target) = event.action {
                if let moved = stamps[target] {
                    named.append(moved)
                } else if let kept = try stamp(target) {
                    named.append(kept)
                }
            }
            add(event, after: named)
        }
    }

    private mutating func add(_ event: Event, after named: [Stamp]) {
        let id = EventID(replica: replica, seq: UInt64(events.count) + 1)
        let stamp = stamp(of: event, after: named)
        let action = event.action
            .mapping(run: { runs[$0] ?? $0 }, event: { ids[$0] ?? $0 })
            .mapping(at: setBack)
        events.append(Event(id: id, stamp: stamp, action: settingBackEntry(action, before: stamp)))
        ids[event.id] = id
        stamps[event.id] = stamp
        // A start begins a run. A correction also names the position of a `record` or a `split` as a run.
        runs[RunID(event.position)] = RunID(stamp: stamp, replica: replica)
    }

    private func stamp(of event: Event, after named: [Stamp]) -> Stamp {
        let shifted = max(.zero, event.time - shift)
        var least = UInt64(shifted.milliseconds) << 16 | UInt64(event.stamp.counter)
        if let previous = events.last { least = max(least, previous.stamp.rawValue + 1) }
        // A reference to an event of the future is a mistake. It must not move this event into the future.
        for stamp in named where stamp < event.stamp { least = max(least, stamp.rawValue + 1) }
        return Stamp(rawValue: least)
    }

    private func setBack(_ at: SharedInstant) -> SharedInstant { at - shift }

    /// Returns a `record`, `retime` or `split` with its times set back by `shift` if they are after `stamp`.
    /// Replay would ignore such times. Returns any other action unchanged.
    private func settingBackEntry(_ action: Action, before stamp: Stamp) -> Action {
        switch action {
        case .record(var record) where record.endedAt > stamp.time:
            record.startedAt = setBack(record.startedAt)
            record.endedAt = setBack(record.endedAt)
            return .record(record)
        case .retime(var retime) where retime.endedAt > stamp.time:
            retime.startedAt = setBack(retime.startedAt)
            retime.endedAt = setBack(retime.endedAt)
            return .retime(retime)
        case .split(var split) where split.instant > stamp.time:
            split.instant = setBack(split.instant)
            return .split(split)
        default: return action
        }
    }
}
