import FocusColumns
import FocusCore
import SQLiteKit

// The table `journal` has the entries that replay found for the history. A row has the entries of one event
// or of several consecutive ones, and the position of the last. No checkpoint lies between two events of a
// row, so a row is wholly before a checkpoint or wholly after it.
extension DeviceStore {
    /// Returns the entries that replay found up to `position`, the position of a checkpoint; none if
    /// `position` is nil. Returns nil if this version can't read them.
    func journal(through position: Position?) throws -> Journal? {
        var journal = Journal()
        var isWhole = true
        let sql = "SELECT block FROM journal WHERE (stamp, replica) <= (?, ?) ORDER BY stamp, replica"
        let place = PositionColumns(position)
        try database.forEach(sql, place.stamp, place.replica) { row in
            guard let entries = try? JournalBlock.entries(encoded: row[0]) else { return isWhole = false }
            for entry in entries { journal.append(entry) }
        }
        return isWhole ? journal : nil
    }

    /// Removes the entries after `position`, from which replay is about to continue.
    func forgetJournal(after position: Position?) throws {
        let place = PositionColumns(position)
        try database.run("DELETE FROM journal WHERE (stamp, replica) > (?, ?)", place.stamp, place.replica)
    }

    /// Packs entries between checkpoints into fuller rows: each press has added a row of its own.
    ///
    /// - Parameter checkpoints: Consecutive checkpoints, the newest first. Only the entries between the first
    ///   and the third are packed, because earlier ones are packed already.
    func packJournal(between checkpoints: [Position]) throws {
        for (index, end) in checkpoints.prefix(2).enumerated() {
            let start = index + 1 < checkpoints.count ? checkpoints[index + 1] : nil
            try packJournal(after: start, through: end)
        }
    }

    /// Packs the rows after the last full one. Rows that this version can't read stay unchanged.
    private func packJournal(after start: Position?, through end: Position) throws {
        let (from, to) = (PositionColumns(start), PositionColumns(end))
        var rows: [(position: Position, entries: [JournalEntry])] = []
        var isWhole = true
        try database.scan(JournalRows.backwards, from.stamp, from.replica, to.stamp, to.replica) { row in
            let bytes: [UInt8] = row[2]
            guard bytes.count < JournalPacking.full else { return false }
            if let entries = try? JournalBlock.entries(encoded: bytes) {
                rows.append((Position(stamp: row[0], replica: row[1]), entries))
            } else {
                isWhole = false
            }
            return isWhole
        }
        guard isWhole, rows.count > 1, let first = rows.last?.position, let last = rows.first?.position
        else { return }
        try database.run(JournalRows.delete, first.stamp, first.replica, last.stamp, last.replica)
        var packing = JournalPacking(self)
        for (position, entries) in rows.reversed() { try packing.append(entries, at: position) }
        try packing.flush()
    }
}

/// A writer of replay's entries, in rows of some hundred bytes. The caller flushes it before each checkpoint
/// and at the end.
struct JournalPacking {
    /// The size in bytes from which a row is full. Nine or ten such rows fill a page of the file and leave
    /// little of it empty.
    static let full = 400

    private let store: DeviceStore
    /// The entries that no row has yet.
    private var block = JournalBlockWriter()
    /// The position of the last event with entries in the block.
    private var last: Position?

    init(_ store: DeviceStore) { self.store = store }

    /// Appends the entries found at the event at `position`, and empties `found`.
    mutating func append(_ found: JournalEntryCollector, at position: Position?) throws {
        guard let position, !found.entries.isEmpty else { return }
        try append(found.entries, at: position)
        found.removeAll()
    }

    /// Appends the entries of one row.
    mutating func append(_ entries: [JournalEntry], at position: Position) throws {
        for entry in entries { block.append(entry) }
        last = position
        if block.bytes.count >= JournalPacking.full { try flush() }
    }

    /// Writes the entries that no row has yet.
    mutating func flush() throws {
        guard let last else { return }
        try store.database.run(JournalRows.insert, last.stamp, last.replica, block.bytes)
        block = JournalBlockWriter()
        self.last = nil
    }
}

private enum JournalRows {
    static let insert = "INSERT INTO journal (stamp, replica, block) VALUES (?, ?, ?)"
    static let delete = """
        DELETE FROM journal
        WHERE (stamp, replica) >= (?, ?) AND (stamp, replica) <= (?, ?)
        """
    static let backwards = """
        SELECT stamp, replica, block FROM journal
        WHERE (stamp, replica) > (?, ?) AND (stamp, replica) <= (?, ?)
        ORDER BY stamp DESC, replica DESC
        """
}
