extension Action {
    /// The action with everything it names named anew: the runs by `run`, the event that an undo names by
    /// `event`. For events that move to another replica (docs/protocol.md, "Parted branches").
    package func mapping(run map: (RunID) -> RunID, event mapEvent: (EventID) -> EventID) -> Action {
        switch self {
        case .start(var start):
            start.after = start.after.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(map(run), at: at)
        case .resume(let run, let at): return .resume(map(run), at: at)
        case .stop(let run, let at): return .stop(map(run), at: at)
        case .skip(let run, let ordinal, let at): return .skip(map(run), ordinal: ordinal, at: at)
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
        case .set, .device, .record, .revoke, .readmit, .unknown: return self
        }
    }

    /// The action with the instant that it says it takes effect at, where it says one, as `map` gives it.
    package func mapping(at map: (SharedInstant) -> SharedInstant) -> Action {
        switch self {
        case .start(var start):
            start.at = start.at.map(map)
            return .start(start)
        case .pause(let run, let at): return .pause(run, at: at.map(map))
        case .resume(let run, let at): return .resume(run, at: at.map(map))
        case .stop(let run, let at): return .stop(run, at: at.map(map))
        case .skip(let run, let ordinal, let at): return .skip(run, ordinal: ordinal, at: at.map(map))
        case .adjust(let run, let ordinal, let seconds, let at):
            return .adjust(run, ordinal: ordinal, seconds: seconds, at: at.map(map))
        case .label(let run, let text, let at): return .label(run, text: text, at: at.map(map))
        case .adopt, .set, .device, .record, .amend, .retime, .split, .undo, .revoke, .readmit, .unknown:
            return self
        }
    }

    /// The action with the fact that it records, where it is a `record`, as `map` gives it.
    package func mapping(record map: (Record) -> Record) -> Action {
        if case .record(let record) = self { .record(map(record)) } else { self }
    }

    /// The action with the times that it gives, where it is a `retime`, as `map` gives it.
    package func mapping(retime map: (Retime) -> Retime) -> Action {
        if case .retime(let retime) = self { .retime(map(retime)) } else { self }
    }

    /// The run that the action names: the one it acts on, a start's `after`, or the one whose history it amends.
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

/// Moves the tail of a replica, from the first event that another log has otherwise, to a replica of its own
/// (docs/protocol.md, "Parted branches").
package enum Branching {
    /// The tail as events of `branch`, numbered from 1: stamps kept, references within the tail mapped.
    ///
    /// `tail` is one replica's events without holes, by seq. Every holder of a tail makes the same events of it,
    /// and of a longer tail the same first ones: what an event becomes depends on those before it alone.
    package static func moved(_ tail: [Event], to branch: ReplicaID) -> [Event] {
        guard let first = tail.first else { return [] }
        let replica = first.id.replica
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
            // A start's is a run, and a correction names what a record or a split has made by it too.
            namedHere.insert(event.stamp)
            return Event(replica: branch, seq: UInt64(index) + 1, stamp: event.stamp, action: action)
        }
    }
}

/// What a device wrote while its clock was ahead, written anew before it reaches anyone
/// (docs/protocol.md, "Re-authoring").
package struct ReauthoredEvents {
    /// The events as they are called now, by seq.
    package private(set) var events: [Event] = []

    private let shift: Duration
    private let replica: ReplicaID
    private var runs: [RunID: RunID] = [:]
    private var ids: [EventID: EventID] = [:]
    private var stamps: [EventID: Stamp] = [:]

    /// The events as `replica`'s, numbered from 1, at the time they were really pressed.
    ///
    /// Each stamp is the greatest of: one more than the one before, the old one less the error, and one more
    /// than every stamp the event names, of other events and runs those that count. What names one of the events is mapped,
    /// and `at` is set back by the error. So is a `record` that would end after the event that says it, and count for nothing.
    ///
    /// - Parameters:
    ///   - events: The device's events that the server lacks and won't take, in replay order, of one or more of
    ///     the replicas that it has been. None of them has left the device.
    ///   - error: What the device's clock was found to be ahead by. Where the last event leads
    ///     by more, its lead is taken instead.
    ///   - replica: A fresh one.
    ///   - counts: Whether another run has a place that what names it has to come after.
    ///   - stamp: The stamp of another event of the log, nil where the log doesn't have it.
    package init<Failure: Error>(
        _ events: [Event], error: Duration, now: SharedInstant, as replica: ReplicaID,
        counts: (RunID) throws(Failure) -> Bool, stamp: (EventID) throws(Failure) -> Stamp?
    ) throws(Failure) {
        // Everything is brought into the range that stamps have, so that nothing can overflow.
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
            .mapping(record: { setBack($0, before: stamp) })
            .mapping(retime: { setBack($0, before: stamp) })
        events.append(Event(id: id, stamp: stamp, action: action))
        ids[event.id] = id
        stamps[event.id] = stamp
        // A start's is a run, and a correction names what a record or a split has made by it too.
        runs[RunID(event.position)] = RunID(stamp: stamp, replica: replica)
    }

    private func stamp(of event: Event, after named: [Stamp]) -> Stamp {
        let shifted = max(.zero, event.time - shift)
        var least = UInt64(shifted.milliseconds) << 16 | UInt64(event.stamp.counter)
        if let previous = events.last { least = max(least, previous.stamp.rawValue + 1) }
        // A name from the future is a mistake that must not bring the event there.
        for stamp in named where stamp < event.stamp { least = max(least, stamp.rawValue + 1) }
        return Stamp(rawValue: least)
    }

    private func setBack(_ at: SharedInstant) -> SharedInstant { at - shift }

    /// A fact that was written under the wrong clock and would lie ahead now, where it would not be one.
    private func setBack(_ record: Action.Record, before stamp: Stamp) -> Action.Record {
        guard record.endedAt > stamp.time else { return record }
        var record = record
        record.startedAt = setBack(record.startedAt)
        record.endedAt = setBack(record.endedAt)
        return record
    }

    /// Times that were given under the wrong clock, likewise.
    private func setBack(_ retime: Action.Retime, before stamp: Stamp) -> Action.Retime {
        guard retime.endedAt > stamp.time else { return retime }
        var retime = retime
        retime.startedAt = setBack(retime.startedAt)
        retime.endedAt = setBack(retime.endedAt)
        return retime
    }
}
