import CSQLite

/// The prepared statements of one connection, by their text.
final class StatementCache {
    /// Where the statement of a text is kept while nobody runs it.
    ///
    /// One that is running is out of its slot, so the same text can be run again within its own row closure.
    final class Slot {
        private(set) var idle: OpaquePointer?

        deinit { sqlite3_finalize(idle) }

        /// The statement of this text, for the caller alone until it gives it back.
        func take(_ sql: String, connection: OpaquePointer) throws(SQLiteError) -> Statement {
            guard let handle = idle else { return try Statement(sql, connection: connection) }
            idle = nil
            return Statement(adopting: handle)
        }

        /// Keeps a statement, which must be reset, for the next who takes it.
        func giveBack(_ statement: consuming Statement) {
            guard idle == nil else { return }
            idle = statement.release()
        }
    }

    private var slots: [String: Slot] = [:]

    /// The slot of the statement of this text.
    func slot(_ sql: String) -> Slot {
        if let slot = slots[sql] { return slot }
        let slot = Slot()
        slots[sql] = slot
        return slot
    }

    /// The statements that nobody runs now.
    var idle: [OpaquePointer] { slots.values.compactMap(\.idle) }

    func removeAll() { slots.removeAll() }
}
