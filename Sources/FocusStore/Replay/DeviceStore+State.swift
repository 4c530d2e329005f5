import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// What the log comes to. Reads one checkpoint, and the events after it where a merge left some.
    package func state() throws(StoreError) -> ReplayState {
        try reading {
            var state = try newestCheckpoint()
            var history = NoHistory()
            try replay(&state, history: &history)
            return state
        }
    }

    /// What the log comes to, with what it found for the history.
    package func history() throws(StoreError) -> (state: ReplayState, journal: Journal) {
        try reading {
            var state = try newestCheckpoint()
            guard var journal = try journal(through: state.position) else { return try replayed() }
            try replay(&state, history: &journal)
            return (state, journal)
        }
    }

    /// Brings the newest checkpoint to the log's end, and gives what it holds. Where much is left to replay, in several
    /// transactions, so that others come between.
    @discardableResult
    package func replay() throws(StoreError) -> ReplayState {
        while true {
            let slice = try writing(.normal) { try replayedSlice() }
            if slice.isAtEnd { return slice.state }
        }
    }

    /// Drops everything that replay has kept. It is made anew when it is next asked for.
    package func dropCaches() throws(StoreError) {
        try writing(.normal) {
            try database.run("DELETE FROM checkpoints")
            try database.run("DELETE FROM journal")
        }
    }
}

// MARK: - Within a transaction

extension DeviceStore {
    /// The state at the newest checkpoint that this version can read; the empty log's where there is none.
    func newestCheckpoint() throws -> ReplayState {
        try checkpoint("SELECT state FROM checkpoints ORDER BY stamp DESC, replica DESC LIMIT 1")
    }

    /// As `newestCheckpoint()`, of those that stand before an event.
    func newestCheckpoint(before position: Position) throws -> ReplayState {
        try checkpoint(
            """
            SELECT state FROM checkpoints WHERE (stamp, replica) < (?, ?)
            ORDER BY stamp DESC, replica DESC LIMIT 1
            """, position.stamp, position.replica)
    }

    private func checkpoint<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value
    ) throws -> ReplayState {
        let found = try database.first(sql, repeat each values, read: { try? ReplayState(encoded: $0[0]) })
        return (found ?? nil) ?? ReplayState()
    }

    /// Replays all that lies after the newest checkpoint.
    @discardableResult
    func replayed() throws -> ReplayState {
        while true {
            let slice = try replayedSlice()
            if slice.isAtEnd { return slice.state }
        }
    }

    /// Replays what lies after the newest checkpoint, keeping new ones and the history on the way: up to the log's end, or
    /// up to where a slice ends. That stands on the grid of `CheckpointSpacing`, as `KnownJournal` wants it.
    func replayedSlice() throws -> (state: ReplayState, isAtEnd: Bool) {
        var state = try newestCheckpoint()
        let base = state.position
        let before = state.eventCount
        guard try hasEvents(after: base) else { return (state, true) }
        try forgetJournal(after: base)
        // Those that this version can't read are of no use.
        if base == nil { try database.run("DELETE FROM checkpoints") }
        let total = try eventCount()
        let found = FoundEntries()
        var sink = found
        var packing = JournalPacking(self)
        try replay(&state, history: &sink) { state, _ in
            try packing.append(found, at: state.position)
            guard state.eventCount % replaySlice != 0 else { return false }
            if CheckpointSpacing.keeps(state.eventCount, of: total) {
                try packing.flush()
                try insertCheckpoint(state)
            }
            return true
        }
        try packing.flush()
        try keepAtEnd(state, after: before)
        return (state, state.eventCount % replaySlice != 0)
    }

    /// Keeps what the whole log comes to.
    ///
    /// - Parameter before: How many events the checkpoint before it has, which replay went on from.
    func keepAtEnd(_ state: ReplayState, after before: UInt64) throws {
        try insertCheckpoint(state)
        if state.eventCount / CheckpointSpacing.finest != before / CheckpointSpacing.finest {
            try thinCheckpoints(total: state.eventCount)
        }
    }

    /// Makes sure that no checkpoint stands at `position` or after it, where the log has changed.
    func forgetCheckpoints(from position: Position) throws {
        try database.run(
            "DELETE FROM checkpoints WHERE (stamp, replica) >= (?, ?)", position.stamp, position.replica)
    }

    private func hasEvents(after position: Position?) throws -> Bool {
        let sql = "SELECT 1 FROM events WHERE replica = ? AND seq >= ? AND NOT is_sealed LIMIT 1"
        return try tails(after: position).contains { tail in
            try database.first(sql, tail.replica, Int64(clamping: tail.first), read: { _ in true }) ?? false
        }
    }

    private func insertCheckpoint(_ state: borrowing ReplayState) throws {
        guard let position = state.position else { return }
        try database.run(
            "INSERT OR REPLACE INTO checkpoints (stamp, replica, event_count, state) VALUES (?, ?, ?, ?)",
            position.stamp, position.replica, state.eventCount, state.encoded())
    }

    /// Drops the checkpoints that aren't worth keeping any more, and packs the history between those that are.
    private func thinCheckpoints(total: UInt64) throws {
        var spare: [Position] = []
        // From the oldest of the former ends on, whether it is on the grid or not.
        var kept: [Position] = []
        let sql = """
            SELECT event_count, stamp, replica FROM checkpoints
            ORDER BY stamp DESC, replica DESC LIMIT -1 OFFSET ?
            """
        try database.forEach(sql, CheckpointSpacing.formerEnds - 1) { row in
            let position = Position(stamp: row[1], replica: row[2])
            if kept.isEmpty || CheckpointSpacing.keeps(row[0], of: total) {
                kept.append(position)
            } else {
                spare.append(position)
            }
        }
        for position in spare {
            try database.run(
                "DELETE FROM checkpoints WHERE stamp = ? AND replica = ?", position.stamp, position.replica)
        }
        try packJournal(between: kept)
    }
}

/// Which checkpoints are worth keeping: the closer to the log's end the denser, since what arrives late is mostly
/// not very late. About 16 for each doubling of the log.
enum CheckpointSpacing {
    /// Events between two checkpoints near the log's end.
    static let finest: UInt64 = 64
    /// How many of the log's last ends keep their checkpoints, and the finest step's more until the next thinning:
    /// what is undone is mostly one of the last presses, and what comes late is mostly a little late.
    static let formerEnds = 8
    /// How many of the finest steps the log's end is near for.
    private static let near: UInt64 = 16

    /// Whether the checkpoint after `count` events is one to keep in a log of `total` events. One that isn't is
    /// none in a longer log either.
    static func keeps(_ count: UInt64, of total: UInt64) -> Bool {
        guard count % finest == 0 else { return false }
        let distance = total > count ? total - count : 0
        var spacing = finest
        while spacing < 1 << 62, distance > spacing * near { spacing *= 2 }
        return count % spacing == 0
    }
}
