import CSQLite
import Synchronization
import SystemKit

extension Database {
    /// The operations that a connection allows on its file.
    package enum Access: Hashable, Sendable {
        case readOnly
        /// The file must exist.
        case readWrite
        /// A missing file is created. Only its owner can read and write it. SQLite gives its `-wal` and `-shm`
        /// files the same mode.
        case readWriteCreate
    }

    /// Held while a file is created or opened. Closing any descriptor of a file drops all of the process's
    /// POSIX locks on it (<https://sqlite.org/howtocorrupt.html> §2.2). So the descriptor that created the
    /// file must be closed before another thread can open a connection to it.
    private static let opening = Mutex<Void>(())

    /// Whether SQLite accepted the settings that must come before all other calls; the first read applies
    /// them. They turn off memory statistics, for which all threads would share a lock. They also give a file
    /// system that has no locks its own error. Otherwise SQLite would report a lock of another process.
    static let isSetUp =
        lockstep_keep_no_memory_statistics() == SQLITE_OK && lockstep_tell_missing_locks() == SQLITE_OK

    static func open(path: String, on disk: Disk, access: Access) throws(SQLiteError) -> OpaquePointer {
        _ = isSetUp
        var handle: OpaquePointer?
        let code: Int32
        // NOMUTEX: only one thread uses a connection.
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
            // A virtual disk has no descriptors, so no lock is needed.
            let creation = access == .readWriteCreate ? SQLITE_OPEN_CREATE : 0
            code = sqlite3_open_v2(path, &handle, flags | creation, disk.name)
        }
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

    /// Creates an empty file of mode 0600, independent of the umask. An existing file stays as it is.
    ///
    /// - Parameter isNew: Whether an existing file is an error. A link counts as a file even if its target is
    ///   missing.
    /// - Throws: `SQLiteError`: `cannotOpen` if the file can't be created, or if it exists and `isNew` is
    ///   true.
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
    /// Turns on the write-ahead log, with which one connection can write while others read
    /// (<https://sqlite.org/wal.html>). The setting is stored in the file.
    ///
    /// - Throws: `SQLiteError`: `busy` if other connections use the file for longer than the busy timeout.
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
                // Unlike other statements, this pragma doesn't wait for another connection's lock. It already
                // holds a lock for reading, so two waiting connections would wait for each other. An empty
                // transaction waits instead.
                try transaction(.immediate) {}
            }
        }
    }

    /// Keeps the `-wal` and `-shm` files on the disk when the last connection closes. A connection that only
    /// reads needs them, and couldn't create them on a full or read-only disk
    /// (<https://sqlite.org/wal.html#read_only_databases>).
    package func keepWriteAheadLog() throws {
        // On a disk without this control, such as a virtual one, SQLite creates the files again each time.
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        // With any limit, the log is emptied when the last connection closes. A full log that stays would be
        // replayed into another file that is put in the database's place. This limit, in bytes, is more than
        // the log has between checkpoints.
        try execute("PRAGMA journal_size_limit=67108864")
    }
}
