import CSQLite

extension DatabaseConnection {
    /// The operations that a connection allows on its file.
    package enum Access: Hashable, Sendable {
        case readOnly
        /// The file must exist.
        case readWrite
        /// A missing file is created. Only its owner can read and write it. SQLite gives its `-wal` and `-shm`
        /// files the same mode.
        case readWriteCreate
    }

    static func open(path: String, on disk: Disk, access: Access) throws(SQLiteError) -> OpaquePointer {
        _ = SQLiteLibrary.isSetUp
        var handle: OpaquePointer?
        // NOMUTEX: only one thread uses a connection.
        let flags =
            (access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = try disk.files.open(
            path, flags: flags, mayCreate: access == .readWriteCreate, connection: &handle)
        guard code == SQLITE_OK, let handle else {
            let error = handle.map { SQLiteError(database: $0) } ?? SQLiteError(code: .outOfMemory)
            sqlite3_close_v2(handle)
            throw error
        }
        // The file can be from somebody else. So its schema can call only harmless functions, and no statement
        // can change SQLite's own tables.
        lockstep_distrust(handle)
        // Without permission to write, SQLite opens the file for reading, and fails only at the first change.
        guard access == .readOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: .readOnly)
        }
        return handle
    }
}

extension DatabaseConnection {
    /// Turns on the write-ahead log, with which one connection can write while others read
    /// (<https://sqlite.org/wal.html>). The setting is stored in the file.
    ///
    /// - Throws: `Failure`: `busy` if other connections use the file for longer than the busy timeout.
    package func useWriteAheadLog() throws(Failure) {
        var attemptsLeft = 100
        while true {
            attemptsLeft -= 1
            do throws(SQLiteError) {
                let statement = try Statement("PRAGMA journal_mode=WAL", connection: handle)
                guard try statement.step(), Row(statement: statement.handle)[0] as String == "wal" else {
                    throw SQLiteError(
                        code: .cannotOpen, message: "the file system can't hold a write-ahead log")
                }
                return
            } catch {
                guard .busy ~= error.code, attemptsLeft > 0 else { throw failure(error) }
            }
            // Unlike other statements, this pragma doesn't wait for another connection's lock. It already
            // holds a lock for reading, so two waiting connections would wait for each other. An empty
            // transaction waits instead.
            try transaction(.immediate) {}
        }
    }

    /// Keeps the `-wal` and `-shm` files on the disk when the last connection closes. A connection that only
    /// reads needs them, and couldn't create them on a full or read-only disk
    /// (<https://sqlite.org/wal.html#read_only_databases>).
    package func keepWriteAheadLog() throws(Failure) {
        // On a disk without this control, such as a virtual one, SQLite creates the files again each time.
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        // With any limit, the log is emptied when the last connection closes. A full log that stays would be
        // replayed into another file that is put in the database's place. This limit, in bytes, is more than
        // the log has between checkpoints.
        try execute("PRAGMA journal_size_limit=67108864")
    }
}

/// The settings of SQLite itself.
enum SQLiteLibrary {
    /// Whether SQLite accepted the settings that must come before all other calls; the first read applies
    /// them. They turn off memory statistics, for which all threads would share a lock. They also give a file
    /// system that has no locks its own error. Otherwise SQLite would report a lock of another process.
    static let isSetUp =
        lockstep_keep_no_memory_statistics() == SQLITE_OK && lockstep_tell_missing_locks() == SQLITE_OK
}
