import FocusColumns
import FocusCore
import SQLiteKit

// The table `journal`, what replay has found for the history. A row is what one event or several after each other added,
// and is called by the last of these. No checkpoint stands between two events of a row: so all of a row is up to a
// checkpoint, or all of it is after it.
extension DeviceStore {
    /// What replay found for the history up to `position`, which is a checkpoint's, or none; nil where this version
    /// can't read it.
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

    /// Makes sure that the history holds nothing from after `position`, from where replay is about to go on.
    func forgetJournal(after position: Position?) throws {
        let place = PositionColumns(position)
        try database.run("DELETE FROM journal WHERE (stamp, replica) > (?, ?)", place.stamp, place.replica)
    }

    /// Packs what presses have added, each in a row of its own, up to some of the checkpoints that stay.
    ///
    /// - Parameter checkpoints: The newest first, without leaving any out. The history is packed up to the first two:
    ///   what lies before them was packed earlier.
    func packJournal(between checkpoints: [Position]) throws {
        for (index, end) in checkpoints.prefix(2).enumerated() {
            let start = index + 1 < checkpoints.count ? checkpoints[index + 1] : nil
            try packJournal(after: start, through: end)
        }
    }

    /// Packs the rows that come after the last full one. What can't be read stays as it is.
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

/// Writes what replay finds, event by event, in rows of some hundred bytes. Whoever uses it flushes it before a
/// checkpoint is kept, and at the end.
struct JournalPacking {
    /// A row of so many bytes isn't added to. Nine or ten fill a page of the file, so little of that is left empty.
    static let full = 400

    private let store: DeviceStore
    private var block = JournalBlockWriter()
    /// Where the last event stands of which the block has entries.
    private var last: Position?

    init(_ store: DeviceStore) { self.store = store }

    /// Takes what was found at the event at `position`.
    mutating func append(_ found: FoundEntries, at position: Position?) throws {
        guard let position, !found.entries.isEmpty else { return }
        try append(found.entries, at: position)
        found.removeAll()
    }

    /// Takes the entries of a row, or what is to become one.
    mutating func append(_ entries: [JournalEntry], at position: Position) throws {
        for entry in entries { block.append(entry) }
        last = position
        if block.bytes.count >= JournalPacking.full { try flush() }
    }

    /// Writes what no row has been written of yet.
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
