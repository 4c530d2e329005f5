import FocusColumns
import FocusCore
import SQLiteKit

// The table `journal` has the entries that replay found for the history: a row for each, with the position of
// its event and its number among the entries of that event.
extension DeviceStore {
    /// Returns the entries that replay found up to `position`, the position of a checkpoint; none if
    /// `position` is nil. Returns nil if this version can't read them.
    func journal(through position: Position?) throws(StoreError) -> Journal? {
        var journal = Journal()
        var isWhole = true
        let sql = "SELECT entry FROM journal WHERE (stamp, replica) <= (?, ?) ORDER BY stamp, replica, number"
        let place = PositionColumns(position)
        try database.forEach(sql, place.stamp, place.replica) { row in
            guard let entry = try? JournalEntry(encoded: row[0]) else { return isWhole = false }
            journal.append(entry)
        }
        return isWhole ? journal : nil
    }

    /// Removes the entries after `position`, from which replay is about to continue.
    func forgetJournal(after position: Position?) throws(StoreError) {
        let place = PositionColumns(position)
        try database.run("DELETE FROM journal WHERE (stamp, replica) > (?, ?)", place.stamp, place.replica)
    }

    /// Stores the entries that replay found at the event at `position`. Does nothing if `position` is nil:
    /// nothing was replayed.
    func insertJournal(_ entries: [JournalEntry], at position: Position?) throws(StoreError) {
        guard let position else { return }
        for (number, entry) in entries.enumerated() {
            try database.run(
                "INSERT INTO journal (stamp, replica, number, entry) VALUES (?, ?, ?, ?)",
                position.stamp, position.replica, number, entry.encoded())
        }
    }
}
