import CSQLite

extension Database {
    /// Lets one connection write while others read (<https://sqlite.org/wal.html>). The file remembers it.
    ///
    /// - Throws: `SQLiteError`: `busy` where others used the file for longer than the busy timeout.
    package func useWriteAheadLog() throws {
        var attemptsLeft = 100
        while true {
            attemptsLeft -= 1
            do {
                let mode: String? = try first("PRAGMA journal_mode=WAL", read: { $0[0] })
                guard mode == "wal" else {
                    throw SQLiteError(
                        code: .cannotOpen, message: "the file system can't hold a write-ahead log")
                }
                return
            } catch let error as SQLiteError where .busy ~= error.code && attemptsLeft > 0 {
                // It doesn't wait for another connection's lock as other statements do: it has begun to read by then,
                // and two that do the same would wait for each other. This does.
                try transaction(.immediate) {}
            }
        }
    }

    /// Leaves the two files beside the database when this connection is the last to close. Who only reads needs them,
    /// and couldn't make them on a disk that is full or can't be written
    /// (<https://sqlite.org/wal.html#read_only_databases>).
    package func keepWriteAheadLog() throws {
        // A disk that knows nothing of this, as one in memory, makes them anew each time.
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        // Under any limit the log is emptied as the last connection closes: one left full would be read into
        // whatever is put in the database's place. Between checkpoints it doesn't grow to this one, in bytes.
        try execute("PRAGMA journal_size_limit=67108864")
    }
}
