package import FocusCore
import FocusStore

/// What a laptop recorded alone and takes along into a group that has a log: the history as facts, while the
/// group's settings and session hold (docs/timer-rules.md, `record`).
///
/// The history is read before the device enters the group; the facts are written after.
package enum AloneHistory {
    /// Ends what runs, and gives what the history is.
    package static func read(_ device: Device) throws -> [Action.Record] {
        let store = device.store
        guard try store.eventCount() > 0 else { return [] }
        let now = try device.now()
        _ = try store.author(now: now) { authoring in
            guard let run = TimerState(authoring.state, at: now).run else { return }
            try authoring.write(.stop(run.id, at: nil))
        }
        let (state, journal) = try store.history()
        // Where the laptop's clock was wrong, events lie ahead; they count all the same.
        let end = max(now, try store.greatestStamp().milliseconds)
        return CarriedHistory(journal, state, at: end).records
    }

    /// Writes the records down in the group's log. Those that lie ahead, since the laptop's clock was wrong, are
    /// brought back to now.
    package static func write(_ records: [Action.Record], _ device: Device) throws {
        guard !records.isEmpty else { return }
        let now = try device.now()
        let ahead = max(0, (records.map(\.endedAt).max() ?? now) - now)
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
