import CSQLite
import Synchronization
import SystemKit

extension Database {
    /// What a connection may do with its file.
    package enum Access: Hashable, Sendable {
        case readOnly
        /// The file must be there.
        case readWrite
        /// The file is made where there is none, readable and writable by its owner alone; so are the files
        /// that SQLite keeps beside it, since they take the database file's mode.
        case readWriteCreate
    }

    /// Held while a file is made and while one is opened. Closing any descriptor of a file drops all of the
    /// process's POSIX locks on it (<https://sqlite.org/howtocorrupt.html> §2.2), so the descriptor that made
    /// the file must be closed before another thread can open a connection to it.
    private static let opening = Mutex<Void>(())

    /// What is asked of SQLite once, before anything else: to count no memory, which nobody asks for and for which all threads
    /// would share a lock; and to tell a file system without locks from a lock that another process has.
    static let isSetUp =
        lockstep_keep_no_memory_statistics() == SQLITE_OK && lockstep_tell_missing_locks() == SQLITE_OK

    static func open(path: String, on disk: Disk, access: Access) throws(SQLiteError) -> OpaquePointer {
        _ = isSetUp
        var handle: OpaquePointer?
        let code: Int32
        // NOMUTEX: a connection is one thread's.
        let flags =
            (access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch disk {
        case .machine:
            code = try opening.withLock { _ throws(SQLiteError) in
                if access == .readWriteCreate { try createFile(path: path) }
                return SystemText.withBytes(path) { sqlite3_open_v2($0, &handle, flags, nil) }
            }
        case .virtual(let disk):
            // It has no descriptors, so nothing is held that another program would wait for.
            let isMade = access == .readWriteCreate ? SQLITE_OPEN_CREATE : 0
            code = sqlite3_open_v2(path, &handle, flags | isMade, disk.name)
        }
        guard code == SQLITE_OK, let handle else {
            let error = handle.map { SQLiteError(database: $0) } ?? SQLiteError(code: .outOfMemory)
            sqlite3_close_v2(handle)
            throw error
        }
        // The file may come from elsewhere: nothing in it may call what isn't harmless, or change SQLite's own tables.
        lockstep_distrust(handle)
        // SQLite makes do with reading where it may not write, and says so at the first change.
        guard access == .readOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: .readOnly)
        }
        return handle
    }

    /// Makes an empty file of mode 0600, whatever the umask; leaves one that is there as it is.
    ///
    /// - Parameter isNew: whether nothing may be there, be it a link that leads nowhere.
    static func createFile(path: String, isNew: Bool = false) throws(SQLiteError) {
        let descriptor = NewFile.open(path, O_RDWR | O_EXCL | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                guard isNew else { return }
                throw SQLiteError(code: .cannotOpen, message: "\(path) exists already")
            }
            throw SQLiteError(code: .cannotOpen, message: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw SQLiteError(code: .cannotOpen, message: String(cString: strerror(errno)))
        }
    }
}

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
