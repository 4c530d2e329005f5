package import FocusCore
package import FocusStore

/// What a laptop recorded alone, and may take along into a group that has a log: the history as facts, while the
/// group's settings and session hold (docs/timer-rules.md, `record`). Where the group has no session, the one that is open
/// goes on (§5).
///
/// The history is read before the device enters the group; the facts are written after.
package enum AloneHistory {
    /// What becomes of it.
    package enum Choice: Hashable, Sendable, CaseIterable {
        /// The group gets it.
        case takeAlong
        /// It stays in the copy of the log that is kept.
        case leaveBehind
    }

    /// What the person is in the middle of, to be asked before `read` ends it; nil where nothing runs.
    package static func inProgress(_ device: Device) throws -> ShownWork? {
        // Where the clock has gone back, `read` ends it at the last event.
        let instant = max(try device.now(), try device.store.greatestStamp().time)
        return ShownWork(joiningIn: try device.store.state(), at: instant)
    }

    /// Ends what runs, and gives what the history is.
    package static func read(_ device: Device) throws -> CarriedHistory {
        let store = device.store
        let now = try device.now()
        if try store.eventCount() > 0 {
            _ = try store.author(now: now) { authoring in
                guard let run = TimerState(authoring.state, at: now).run else { return }
                try authoring.write(.stop(run.id, at: nil))
            }
        }
        return try history(device, store.history(), at: now)
    }

    /// What `read` would give now, and whether it would end something. It changes nothing.
    package static func preview(
        _ device: Device
    ) throws(StoreError) -> (history: CarriedHistory, endsRun: Bool) {
        let now = try device.now()
        var (state, journal) = try device.store.history()
        let run = TimerState(state, at: now).run
        if let run {
            var clock = LamportClock(last: try device.store.greatestStamp())
            if let stamp = clock.tick(now: now) {
                let stop = Event(
                    replica: run.id.position.replica, seq: .max, stamp: stamp, action: .stop(run.id, at: nil))
                state.apply(stop, isTakenBack: false, in: EventLog(), history: &journal)
            }
        }
        return (try history(device, (state, journal), at: now), run != nil)
    }

    private static func history(
        _ device: Device, _ found: (state: ReplayState, journal: Journal), at now: SharedInstant
    ) throws(StoreError) -> CarriedHistory {
        // Where the laptop's clock was wrong, events lie ahead; they count all the same.
        let end = max(now, try device.store.greatestStamp().time)
        return CarriedHistory(found.journal, found.state, at: end)
    }

    /// Writes the records down in the group's log. Those that lie ahead, since the laptop's clock was wrong, are
    /// brought back to now.
    package static func write(_ records: [Action.Record], _ device: Device) throws {
        guard !records.isEmpty else { return }
        let now = try device.now()
        let ahead = max(.zero, (records.map(\.endedAt).max() ?? now) - now)
        _ = try device.store.author(now: now) { authoring in
            for var record in records {
                if record.endedAt > now {
                    record.startedAt -= ahead
                    record.endedAt -= ahead
                }
                try authoring.write(.record(record))
            }
        }
    }
}
