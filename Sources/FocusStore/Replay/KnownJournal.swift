import FocusColumns
package import FocusCore
import SQLiteKit

/// What a process that keeps showing a history has read of it, so that after a press it reads what that added, however
/// long the history.
///
/// Replay that goes back drops every checkpoint from there on, and keeps new ones at the log's new end and on the grid of
/// `CheckpointSpacing` alone. So where a checkpoint that isn't on that grid is still there, as it was, replay hasn't gone
/// back behind it, and what the journal had up to there still holds. Whichever event replay goes back for, one that was
/// opened, moved or taken back, either changes how many come before the checkpoint, or lies behind it and is the log's end.
package struct KnownJournal: Sendable {
    /// A checkpoint that what is known holds up to.
    private struct Witness: Sendable, Equatable {
        let checkpoint: StoredCheckpoint
        let mark: Journal.Mark
    }

    /// Up to the newest checkpoint.
    private var journal = Journal()
    private var witnesses: [Witness] = []
    private var ownReplicas: [ReplicaID] = []
    /// How many entries were read, ever.
    package private(set) var entriesRead = 0
    /// Differs whenever what `DeviceStore.history(knowing:)` gives may differ.
    package private(set) var version = 0

    /// Nothing.
    package init() {}

    /// Forgets what doesn't hold any more, and says up to where the rest does.
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
        entriesRead += 1
        version += 1
    }

    fileprivate mutating func add(_ checkpoint: StoredCheckpoint) {
        guard checkpoint.eventCount % CheckpointSpacing.finest != 0 else { return }
        witnesses.append(Witness(checkpoint: checkpoint, mark: journal.mark))
    }

    fileprivate func replaying(_ replay: (inout Journal) throws -> Void) rethrows -> (Journal, isLonger: Bool)
    {
        var journal = journal
        try replay(&journal)
        return (journal, journal.mark != self.journal.mark)
    }

    fileprivate mutating func passed() { version += 1 }
}

/// A checkpoint as it is stored.
private struct StoredCheckpoint: Sendable, Equatable {
    let position: Position
    let eventCount: UInt64
    let state: [UInt8]
}

extension DeviceStore {
    /// How many of the newest checkpoints are looked at.
    private static let witnessLimit = 8

    /// As `history()`, reading what isn't known.
    ///
    /// Cost: linear in what the journal has since the newest checkpoint that was there the last time.
    package func history(
        knowing known: inout KnownJournal
    ) throws(StoreError) -> (state: ReplayState, journal: Journal) {
        var read = known
        // What is known belongs to one holder while it grows, or all of it would be copied.
        known = KnownJournal()
        defer { known = read }
        return try reading {
            let checkpoints = try newestCheckpoints()
            let first = read.cut(to: checkpoints, own: try ownReplicas())
            var state = ReplayState()
            if let newest = checkpoints.last {
                guard let readable = try? ReplayState(encoded: newest.state),
                    try readJournal(&read, after: first, checkpoints)
                else {
                    read = KnownJournal()
                    return try history()
                }
                state = readable
            }
            let (journal, isLonger) = try read.replaying { journal in
                try replay(&state, history: &journal)
            }
            if isLonger { read.passed() }
            return (state, journal)
        }
    }

    /// The last few checkpoints, the newest last.
    private func newestCheckpoints() throws -> [StoredCheckpoint] {
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

    /// Reads the journal after a position up to the newest checkpoint; false where this version can't read it.
    private func readJournal(
        _ known: inout KnownJournal, after first: Position?, _ checkpoints: [StoredCheckpoint]
    ) throws -> Bool {
        guard let newest = checkpoints.last else { return true }
        var ahead = checkpoints.drop { checkpoint in first.map { checkpoint.position <= $0 } ?? false }
        var isWhole = true
        let (from, to) = (PositionColumns(first), PositionColumns(newest.position))
        let sql = """
            SELECT stamp, replica, block FROM journal
            WHERE (stamp, replica) > (?, ?) AND (stamp, replica) <= (?, ?)
            ORDER BY stamp, replica
            """
        try database.forEach(sql, from.stamp, from.replica, to.stamp, to.replica) { row in
            let position = Position(stamp: row[0], replica: row[1])
            while let next = ahead.first, next.position < position {
                known.add(next)
                ahead.removeFirst()
            }
            guard let entries = try? JournalBlock.entries(encoded: row[2]) else { return isWhole = false }
            for entry in entries { known.append(entry) }
        }
        for checkpoint in ahead { known.add(checkpoint) }
        return isWhole
    }
}
