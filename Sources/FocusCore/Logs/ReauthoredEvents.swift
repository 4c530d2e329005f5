/// What a device wrote while its clock was ahead, written anew before it reaches anyone
/// (docs/protocol.md, "Re-authoring").
package struct ReauthoredEvents {
    /// The events as they are called now, by seq.
    package private(set) var events: [Event] = []

    private let shift: Int64
    private let replica: ReplicaID
    private var runs: [RunID: RunID] = [:]
    private var ids: [EventID: EventID] = [:]
    private var stamps: [EventID: Stamp] = [:]

    /// The events as `replica`'s, numbered from 1, at the time they were really pressed.
    ///
    /// Each stamp is the greatest of: one more than the one before, the old one less the error, and one more
    /// than every stamp the event names. What names one of the events is mapped, and `at` is set back by the
    /// error. So is a `record` that would end after the event that says it, and count for nothing.
    ///
    /// - Parameters:
    ///   - events: The device's events that the server lacks and won't take, in replay order, of one or more of
    ///     the replicas that it has been. None of them has left the device.
    ///   - error: What the device's clock was found to be ahead by, in milliseconds. Where the last event leads
    ///     by more, its lead is taken instead.
    ///   - now: Shared time, in milliseconds since the Unix epoch.
    ///   - replica: A fresh one.
    ///   - stamp: The stamp of another event of the log, nil where the log doesn't have it.
    package init<Failure: Error>(
        _ events: [Event], error: Int64, now: Int64, as replica: ReplicaID,
        stamp: (EventID) throws(Failure) -> Stamp?
    ) throws(Failure) {
        // Everything is brought into the range that stamps have, so that nothing can overflow.
        let range = 0...Stamp.millisecondsLimit
        let lead = (events.last?.time ?? 0) - min(max(now, range.lowerBound), range.upperBound)
        shift = min(max(error, lead, 0), range.upperBound)
        self.replica = replica
        for event in events {
            var named: [Stamp] = []
            if let run = event.action.namedRun {
                named.append(runs[run]?.position.stamp ?? run.position.stamp)
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
        let shifted = max(0, event.time - shift)
        var least = UInt64(shifted) << 16 | UInt64(event.stamp.counter)
        if let previous = events.last { least = max(least, previous.stamp.rawValue + 1) }
        // A name from the future is a mistake that must not bring the event there.
        for stamp in named where stamp < event.stamp { least = max(least, stamp.rawValue + 1) }
        return Stamp(rawValue: least)
    }

    private func setBack(_ at: Int64) -> Int64 {
        let (result, overflow) = at.subtractingReportingOverflow(shift)
        return overflow ? Int64.min : result
    }

    /// A fact that was written under the wrong clock and would lie ahead now, where it would not be one.
    private func setBack(_ record: Action.Record, before stamp: Stamp) -> Action.Record {
        guard record.endedAt > stamp.milliseconds else { return record }
        var record = record
        record.startedAt = setBack(record.startedAt)
        record.endedAt = setBack(record.endedAt)
        return record
    }

    /// Times that were given under the wrong clock, likewise.
    private func setBack(_ retime: Action.Retime, before stamp: Stamp) -> Action.Retime {
        guard retime.endedAt > stamp.milliseconds else { return retime }
        var retime = retime
        retime.startedAt = setBack(retime.startedAt)
        retime.endedAt = setBack(retime.endedAt)
        return retime
    }
}
