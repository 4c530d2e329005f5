import FocusColumns
package import FocusCore
import SQLiteKit

/// The part of a history that a process has read already. After a press, a process that keeps showing the
/// history then reads only the new entries, not the whole journal.
///
/// If replay begins again at a position, it drops every checkpoint from that position on. It stores new
/// checkpoints only at the log's new end, and at multiples of `CheckpointSpacing.finest` events (the grid).
/// So if an old checkpoint off the grid is still stored, replay hasn't begun before it, and the entries up to
/// it still hold.
///
/// A new checkpoint off the grid never equals an old one. Replay begins earlier only because an event was
/// opened, moved or undone. After that, either the number of events up to the old position is another, or
/// the log ends after it.
package struct KnownJournal: Sendable {
    /// A checkpoint up to which the known entries hold.
    private struct Witness: Sendable, Equatable {
        let checkpoint: StoredCheckpoint
        let mark: Journal.Mark
    }

    /// The entries up to the newest checkpoint.
    private var journal = Journal()
    /// Checkpoints that aren't on the grid, in replay order.
    private var witnesses: [Witness] = []
    /// The device's own replicas at the last read. If they change, all entries are read again.
    private var ownReplicas: [ReplicaID] = []
    /// A number that changes when the result of `DeviceStore.history(knowing:)` may change.
    package private(set) var version = 0

    /// Creates a value without entries.
    package init() {}

    /// Forgets the entries that no longer hold. Returns the position up to which the remaining ones hold; nil
    /// if none remain.
    fileprivate mutating func cut(
        to checkpoints: [StoredCheckpoint], own replicas: [ReplicaID]
    ) -> Position? {
        if replicas != ownReplicas { witnesses = [] }
        ownReplicas = replicas
        witnesses.removeAll { !checkpoints.contains($0.checkpoint) }
        let mark = witnesses.last?.mark ?? Journal.Mark()
        if mark != journal.mark {
            journal.cut(to: mark)
            version += 1
        }
        return witnesses.last?.checkpoint.position
    }

    fileprivate mutating func append(_ entry: JournalEntry) {
        journal.append(entry)
        version += 1
    }

    /// Forgets all entries, because this version can't read the stored ones.
    fileprivate mutating func removeAll() {
        let next = version + 1
        self = KnownJournal()
        version = next
    }

    /// Adds a checkpoint as a witness of the entries so far, unless it is on the grid.
    fileprivate mutating func add(_ checkpoint: StoredCheckpoint) {
        guard checkpoint.eventCount % CheckpointSpacing.finest != 0 else { return }
        witnesses.append(Witness(checkpoint: checkpoint, mark: journal.mark))
    }

    /// Runs `replay` on a copy of the entries. Returns the copy, and whether it has more entries.
    fileprivate func replaying(
        _ replay: (inout Journal) throws(StoreError) -> Void
    ) throws(StoreError) -> (Journal, isLonger: Bool) {
        var journal = journal
        try replay(&journal)
        return (journal, journal.mark != self.journal.mark)
    }

    /// Changes the version because a result has entries after the newest checkpoint, which aren't kept here.
    fileprivate mutating func advanceVersion() { version += 1 }
}

/// A checkpoint as it is stored.
private struct StoredCheckpoint: Sendable, Equatable {
    let position: Position
    let eventCount: UInt64
    let state: [UInt8]
}

extension DeviceStore {
    /// The number of newest checkpoints to compare.
    private static let witnessLimit = 8

    /// Does the same as `history()`, but reads only entries that aren't in `known` yet.
    ///
    /// Cost: linear in the journal's entries since the newest checkpoint that was there at the last call.
    package func history(
        knowing known: inout KnownJournal
    ) throws(StoreError) -> (state: ReplayState, journal: Journal) {
        var updated = known
        // Only one variable may hold the entries while they grow, or all of them would be copied.
        known = KnownJournal()
        defer { known = updated }
        return try reading { () throws(StoreError) in
            let checkpoints = try newestCheckpoints()
            let keptEnd = updated.cut(to: checkpoints, own: try ownReplicas())
            var state = ReplayState()
            if let newest = checkpoints.last {
                guard let readable = try? ReplayState(encoded: newest.state),
                    try readJournal(&updated, after: keptEnd, checkpoints)
                else {
                    updated.removeAll()
                    return try history()
                }
                state = readable
            }
            let (journal, isLonger) = try updated.replaying { (journal: inout Journal) throws(StoreError) in
                try replay(&state, history: &journal)
            }
            if isLonger { updated.advanceVersion() }
            return (state, journal)
        }
    }

    /// Returns the newest checkpoints, the newest last.
    private func newestCheckpoints() throws(StoreError) -> [StoredCheckpoint] {
        var checkpoints: [StoredCheckpoint] = []
        let sql = """
            SELECT stamp, replica, event_count, state FROM checkpoints
            ORDER BY stamp DESC, replica DESC LIMIT ?
            """
        try database.forEach(sql, DeviceStore.witnessLimit) { row in
            checkpoints.append(
                StoredCheckpoint(
                    position: Position(stamp: row[0], replica: row[1]), eventCount: row[2], state: row[3]))
        }
        return checkpoints.reversed()
    }

    /// Reads the journal after a position up to the newest checkpoint; returns false if this version can't
    /// read it.
    private func readJournal(
        _ known: inout KnownJournal, after keptEnd: Position?, _ checkpoints: [StoredCheckpoint]
    ) throws(StoreError) -> Bool {
        guard let newest = checkpoints.last else { return true }
        var ahead = checkpoints.drop { checkpoint in keptEnd.map { checkpoint.position <= $0 } ?? false }
        var isWhole = true
        let (from, to) = (PositionColumns(keptEnd), PositionColumns(newest.position))
        let sql = """
            SELECT stamp, replica, entry FROM journal
            WHERE (stamp, replica) > (?, ?) AND (stamp, replica) <= (?, ?)
            ORDER BY stamp, replica, number
            """
        try database.forEach(sql, from.stamp, from.replica, to.stamp, to.replica) { row in
            let position = Position(stamp: row[0], replica: row[1])
            while let next = ahead.first, next.position < position {
                known.add(next)
                ahead.removeFirst()
            }
            guard let entry = try? JournalEntry(encoded: row[2]) else { return isWhole = false }
            known.append(entry)
        }
        for checkpoint in ahead { known.add(checkpoint) }
        return isWhole
    }
}
