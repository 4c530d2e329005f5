import CSQLite

/// The prepared statements of one connection that are not in use, by their text.
///
/// One that is running is out of the cache, so the same text can be run again within its own row closure.
final class StatementCache {
    private var idle: [String: OpaquePointer] = [:]

    /// The statement of this text, for the caller alone until it gives it back.
    func take(_ sql: String, connection: OpaquePointer) throws(SQLiteError) -> Statement {
        if let handle = idle.removeValue(forKey: sql) { return Statement(adopting: handle) }
        return try Statement(sql, connection: connection)
    }

    /// Keeps a statement, which must be reset, for the next who takes it.
    func giveBack(_ statement: consuming Statement, sql: String) {
        guard idle[sql] == nil else { return }
        idle[sql] = statement.release()
    }

    func removeAll() {
        for handle in idle.values { sqlite3_finalize(handle) }
        idle.removeAll()
    }
}
