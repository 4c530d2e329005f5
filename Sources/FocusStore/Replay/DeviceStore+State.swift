import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Returns the state after replaying the log. Reads one checkpoint, and the events after it if a merge
    /// left some.
    package func state() throws(StoreError) -> ReplayState {
        try reading { () throws(StoreError) in
            var state = try newestCheckpoint()
            var history = NoHistory()
            try replay(&state, history: &history)
            return state
        }
    }

    /// Returns the state after replaying the log, and the entries found for the history.
    package func history() throws(StoreError) -> (state: ReplayState, journal: Journal) {
        try reading { () throws(StoreError) in
            var state = try newestCheckpoint()
            guard var journal = try journal(through: state.position) else { return try replayed() }
            try replay(&state, history: &journal)
            return (state, journal)
        }
    }

    /// Replays through the log's end, stores a checkpoint there, and returns its state. A long replay takes
    /// several transactions, so that other processes can write in between.
    @discardableResult
    package func replay() throws(StoreError) -> ReplayState {
        while true {
            let slice = try replayNextSlice()
            if slice.isAtEnd { return slice.state }
        }
    }

    /// Replays at most `replaySlice` events in a transaction, and stores a checkpoint there.
    package func replayNextSlice() throws(StoreError) -> (state: ReplayState, isAtEnd: Bool) {
        try writing(.normal) { () throws(StoreError) in try replayedSlice() }
    }

    /// Whether replay would have to read more than `count` events for the present state.
    ///
    /// Cost: linear in `count`.
    package func hasUnreplayedEvents(moreThan count: Int) throws(StoreError) -> Bool {
        try reading { () throws(StoreError) in
            let newest = try database.first(
                "SELECT stamp, replica FROM checkpoints ORDER BY stamp DESC, replica DESC LIMIT 1",
                read: { Position(stamp: $0[0], replica: $0[1]) })
            return try hasEvents(after: newest, besides: count)
        }
    }

    /// Removes all checkpoints and the journal. They are computed again when needed.
    package func dropCaches() throws(StoreError) {
        try writing(.normal) { () throws(StoreError) in
            try database.run("DELETE FROM checkpoints")
            try database.run("DELETE FROM journal")
        }
    }
}

// MARK: - Within a transaction

extension DeviceStore {
    /// Returns the state at the newest checkpoint if this version can read it; otherwise the empty log's.
    func newestCheckpoint() throws(StoreError) -> ReplayState {
        try checkpoint("SELECT state FROM checkpoints ORDER BY stamp DESC, replica DESC LIMIT 1")
    }

    /// Does the same as `newestCheckpoint()`, for checkpoints before `position`.
    func newestCheckpoint(before position: Position) throws(StoreError) -> ReplayState {
        try checkpoint(
            """
            SELECT state FROM checkpoints WHERE (stamp, replica) < (?, ?)
            ORDER BY stamp DESC, replica DESC LIMIT 1
            """, position.stamp, position.replica)
    }

    private func checkpoint<A: SQLiteValue, B: SQLiteValue>(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue()
    ) throws(StoreError) -> ReplayState {
        let found = try database.first(sql, a, b, read: { try? ReplayState(encoded: $0[0]) })
        return (found ?? nil) ?? ReplayState()
    }

    /// Replays all events after the newest checkpoint in the present transaction, and stores checkpoints and
    /// the history.
    @discardableResult
    func replayed() throws(StoreError) -> ReplayState {
        while true {
            let slice = try replayedSlice()
            if slice.isAtEnd { return slice.state }
        }
    }

    /// Replays events after the newest checkpoint, and stores new checkpoints and the history. It stops at
    /// the log's end or after a slice. A slice ends on the grid of `CheckpointSpacing`, as `KnownJournal`
    /// requires.
    func replayedSlice() throws(StoreError) -> (state: ReplayState, isAtEnd: Bool) {
        var state = try newestCheckpoint()
        let base = state.position
        let before = state.eventCount
        guard try hasEvents(after: base) else { return (state, true) }
        try forgetJournal(after: base)
        // Without a base, this version can't read the newest checkpoint, or there is none.
        if base == nil { try database.run("DELETE FROM checkpoints") }
        let total = try eventCount()
        let found = JournalEntryCollector()
        var sink = found
        try replay(&state, history: &sink) { (state, _) throws(StoreError) in
            try insertJournal(found.entries, at: state.position)
            found.removeAll()
            guard state.eventCount % replaySlice != 0 else { return false }
            if CheckpointSpacing.isWorthKeeping(state.eventCount, of: total) {
                try insertCheckpoint(state)
            }
            return true
        }
        try storeEndCheckpoint(state, after: before)
        return (state, state.eventCount % replaySlice != 0)
    }

    /// Stores the state at the log's end, or at the end of a slice, as a checkpoint.
    ///
    /// - Parameters:
    ///   - state: The state there.
    ///   - before: The number of events up to the checkpoint from which replay began.
    func storeEndCheckpoint(_ state: ReplayState, after before: UInt64) throws(StoreError) {
        try insertCheckpoint(state)
        if state.eventCount / CheckpointSpacing.finest != before / CheckpointSpacing.finest {
            try thinCheckpoints(total: state.eventCount)
        }
    }

    /// Removes the checkpoints at `position` or after it, because the log has changed there.
    func forgetCheckpoints(from position: Position) throws(StoreError) {
        try database.run(
            "DELETE FROM checkpoints WHERE (stamp, replica) >= (?, ?)", position.stamp, position.replica)
    }

    /// Whether there is an event after `position` that replay reads, besides the first `count` of them. The
    /// value of `is_sealed` is 0 only for an event that is readable and not early.
    private func hasEvents(after position: Position?, besides count: Int = 0) throws(StoreError) -> Bool {
        let sql = """
            SELECT 1 FROM events INDEXED BY events_in_order
            WHERE (stamp, replica) > (?, ?) AND NOT is_sealed LIMIT 1 OFFSET ?
            """
        let place = PositionColumns(position)
        return try database.first(sql, place.stamp, place.replica, count, read: { _ in true }) ?? false
    }

    private func insertCheckpoint(_ state: borrowing ReplayState) throws(StoreError) {
        guard let position = state.position else { return }
        try database.run(
            "INSERT OR REPLACE INTO checkpoints (stamp, replica, event_count, state) VALUES (?, ?, ?, ?)",
            position.stamp, position.replica, state.eventCount, state.encoded())
    }

    /// Removes the checkpoints that are no longer worth keeping.
    private func thinCheckpoints(total: UInt64) throws(StoreError) {
        var spare: [Position] = []
        let sql = """
            SELECT event_count, stamp, replica FROM checkpoints
            ORDER BY stamp DESC, replica DESC LIMIT -1 OFFSET ?
            """
        try database.forEach(sql, CheckpointSpacing.formerEnds) { row in
            if !CheckpointSpacing.isWorthKeeping(row[0], of: total) {
                spare.append(Position(stamp: row[1], replica: row[2]))
            }
        }
        for position in spare {
            try database.run(
                "DELETE FROM checkpoints WHERE stamp = ? AND replica = ?", position.stamp, position.replica)
        }
    }
}

/// The rule that says which checkpoints are worth keeping. They are denser near the log's end, because most
/// events that arrive late belong near the end. There are about 16 for each doubling of the log.
enum CheckpointSpacing {
    /// The number of events between two checkpoints near the log's end.
    static let finest: UInt64 = 64
    /// The number of newest checkpoints that thinning always keeps. Most of them are at former ends of the
    /// log. Most undos and most late events change only the log's end, so replay can begin at one of these.
    /// Up to `finest` more are stored until the next thinning.
    static let formerEnds = 8
    /// The distance from the log's end up to which `finest` applies, as a multiple of `finest`.
    private static let finestDistance: UInt64 = 16

    /// Whether the checkpoint after `count` events is worth keeping in a log of `total` events. If this is
    /// false, it stays false as the log grows.
    static func isWorthKeeping(_ count: UInt64, of total: UInt64) -> Bool {
        guard count % finest == 0 else { return false }
        let distance = total > count ? total - count : 0
        var spacing = finest
        while spacing < 1 << 62, distance > spacing * finestDistance { spacing *= 2 }
        return count % spacing == 0
    }
}
