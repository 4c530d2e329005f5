import CSQLite

extension Database {
    /// Lets one connection write while others read (<https://sqlite.org/wal.html>). The file remembers it.
    func useWriteAheadLog() throws {
        let mode: String? = try first("PRAGMA journal_mode=WAL", read: { $0[0] })
        guard mode == "wal" else {
            throw SQLiteError(code: .cannotOpen, message: "the file system can't hold a write-ahead log")
        }
    }

    /// Leaves the two files beside the database when this connection is the last to close. Who only reads needs them,
    /// and couldn't make them on a disk that is full or can't be written
    /// (<https://sqlite.org/wal.html#read_only_databases>).
    func keepWriteAheadLog() throws {
        // A disk that knows nothing of this, as one in memory, makes them anew each time.
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        // Under any limit the log is emptied as the last connection closes: one left full would be read into
        // whatever is put in the database's place. Between checkpoints it doesn't grow to this one, in bytes.
        try execute("PRAGMA journal_size_limit=67108864")
    }
}
