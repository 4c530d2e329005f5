import FocusCore
import FocusStore
import FocusText

/// What a laptop recorded alone and takes along into a group that has a log: the history as facts, while the
/// group's settings and session hold (docs/timer-rules.md, `record`).
enum AloneHistory {
    /// Ends what runs, keeps a copy of the log, and begins an empty one. Gives what the history was.
    static func putAside(_ device: Device) throws -> [Action.Record] {
        let store = device.store
        guard try store.eventCount() > 0 else { return [] }
        let now = try device.now()
        _ = try store.author(now: now) { authoring in
            guard let run = TimerState(authoring.state, at: now).run else { return }
            try authoring.write(.stop(run.id, at: nil))
        }
        let (state, journal) = try store.history()
        let records = History(journal, state, at: max(now, state.latestEffect)).records.map(
            Action.Record.init)
        _ = try device.startOver(keepingCopyNamed: "alone")
        return records
    }

    /// Writes the records down in the group's log. Those that lie ahead, since the laptop's clock was wrong, are
    /// brought back to now.
    static func write(_ records: [Action.Record], _ device: Device) throws {
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

extension Action.Record {
    /// A record of the history as a fact, whose source says which phase it was.
    fileprivate init(_ record: PhaseRecord) {
        self.init(
            activity: record.activity.rawValue, startedAt: record.startedAt, endedAt: record.endedAt,
            outcome: record.outcome.rawValue, label: record.label,
            source: "\(record.run.text)/\(record.ordinal)")
    }
}
