/// Writes anew what a device wrote while its clock was ahead, before it reaches anyone
/// (docs/protocol.md, "Time").
package enum Reauthoring {
    /// How far ahead an event may lie, in milliseconds: 2 minutes.
    package static let allowedLead: Int64 = 120_000

    /// The last stamp that the server takes.
    ///
    /// - Parameters:
    ///   - now: Shared time, in milliseconds since the Unix epoch.
    ///   - latest: The greatest stamp in the server's log.
    package static func limit(now: Int64, latest: Stamp) -> Stamp {
        let base = max(latest.milliseconds, min(max(now, 0), Stamp.millisecondsLimit - 1))
        let milliseconds = min(base + allowedLead, Stamp.millisecondsLimit - 1)
        return Stamp(milliseconds: milliseconds, counter: .max) ?? latest
    }

    /// The events as `replica`'s, numbered from 1, at the time they were really pressed.
    ///
    /// Each stamp is the greatest of: one more than the one before, the old one less the error, and one more
    /// than every stamp the event names. What names one of the events is mapped, and `at` is set back by the
    /// error.
    ///
    /// - Parameters:
    ///   - events: The device's events that the server lacks and won't take, in replay order, at least in part
    ///     by different replicas. None of them has left the device.
    ///   - error: What the device's clock was found to be ahead by, in milliseconds. Where the last event leads
    ///     by more, its lead is taken instead.
    ///   - now: Shared time, in milliseconds since the Unix epoch.
    ///   - replica: A fresh one.
    ///   - stamp: The stamp of another event of the log, nil where the log doesn't have it.
    package static func plan<Failure: Error>(
        _ events: [Event], error: Int64, now: Int64, as replica: ReplicaID,
        stamp: (EventID) throws(Failure) -> Stamp?
    ) throws(Failure) -> [Event] {
        guard let last = events.last else { return [] }
        // Both differ by less than 2^48, brought into the range that stamps have.
        let range = 0...Stamp.millisecondsLimit
        let lead = last.time - min(max(now, range.lowerBound), range.upperBound)
        let shift = min(max(error, lead, 0), range.upperBound)
        var plan = Plan(shift: shift, replica: replica)
        for event in events {
            var named: [Stamp] = []
            if let run = event.action.namedRun {
                named.append(plan.runs[run]?.position.stamp ?? run.position.stamp)
            }
            if case .undo(let target) = event.action {
                if let moved = plan.stamps[target] {
                    named.append(moved)
                } else if let kept = try stamp(target) {
                    named.append(kept)
                }
            }
            plan.add(event, after: named)
        }
        return plan.events
    }

    private struct Plan {
        let shift: Int64
        let replica: ReplicaID
        var events: [Event] = []
        var runs: [RunID: RunID] = [:]
        var ids: [EventID: EventID] = [:]
        var stamps: [EventID: Stamp] = [:]

        init(shift: Int64, replica: ReplicaID) {
            self.shift = shift
            self.replica = replica
        }

        mutating func add(_ event: Event, after named: [Stamp]) {
            let id = EventID(replica: replica, seq: UInt64(events.count) + 1)
            let stamp = stamp(of: event, after: named)
            let action = event.action
                .mapping(run: { runs[$0] ?? $0 }, event: { ids[$0] ?? $0 })
                .mapping(at: setBack)
            events.append(Event(id: id, stamp: stamp, action: action))
            ids[event.id] = id
            stamps[event.id] = stamp
            if case .start = event.action {
                runs[RunID(event.position)] = RunID(stamp: stamp, replica: replica)
            }
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
    }
}
