import CSQLite

/// The C libraries that the program is linked with.
enum Libraries {
    /// SQLite if it doesn't work, and each vector that has another result than with OpenSSL.
    static var failures: [String] {
        (sqlite ? [] : ["SQLite"]) + SealVector.all.filter { $0.run() != $0.expected }.map { $0.name }
    }

    /// Writes rows with one connection to a file on the disk in memory, and reads them with another.
    private static var sqlite: Bool {
        let disk = VirtualDisk(canLosePower: false)
        guard let writer = Connection("/log.db", disk), let reader = Connection("/log.db", disk) else {
            return false
        }
        return writer.first("PRAGMA journal_mode=WAL") == "wal"
            && writer.run("CREATE TABLE event (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
            && writer.run(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
                INSERT INTO event SELECT n, zeroblob(100) FROM number
                """)
            && reader.first("SELECT count(*) || ' ' || sum(length(body)) FROM event") == "20000 2000000"
            && reader.first("PRAGMA integrity_check") == "ok" && reader.run("VACUUM INTO '/copy.db'")
            && disk.paths == ["/copy.db", "/log.db", "/log.db-wal"]
    }
}

/// The settings of SQLite, which `VirtualDisk` applies.
enum Database {
    static let isSetUp = lockstep_keep_no_memory_statistics() == SQLITE_OK
}

/// A connection to a database on a disk in memory.
private struct Connection: ~Copyable {
    private let handle: OpaquePointer

    /// Opens the file at `path`, and creates it if it is missing. Fails if SQLite does.
    init?(_ path: String, _ disk: VirtualDisk) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, disk.name) == SQLITE_OK, let handle else { return nil }
        lockstep_distrust(handle)
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements. Returns whether all succeeded.
    borrowing func run(_ sql: String) -> Bool { sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK }

    /// Returns the text in the first column of the first row; nil if there is none.
    borrowing func first(_ sql: String) -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
}

/// Starts no file system: SQLite is compiled without one, and calls this instead.
@_cdecl("sqlite3_os_init")
public func startFileSystems() -> Int32 { SQLITE_OK }

/// Ends no file system.
@_cdecl("sqlite3_os_end")
public func endFileSystems() -> Int32 { SQLITE_OK }
