import CSQLite

/// A connection to a database file, for one thread at a time. It closes when it goes out of scope.
///
/// Opening reads nothing from the file. If the file is no database, the first statement fails.
public struct Database: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    /// Kept because the disk must exist as long as the connection.
    let disk: Disk
    @usableFromInline let statements: StatementCache

    /// Opens a connection to the file at `path`.
    ///
    /// - Parameters:
    ///   - disk: The disk that has the file.
    ///   - busyTimeout: The time that a statement waits for another connection's lock: at most an hour, cut
    ///     to whole milliseconds.
    /// - Throws: `SQLiteError`: `cannotOpen` if the file doesn't exist or can't be opened with `access`.
    package init(
        path: String, on disk: Disk = .machine, access: Access, busyTimeout: Duration = .seconds(5)
    ) throws(SQLiteError) {
        handle = try Database.open(path: path, on: disk, access: access)
        self.disk = disk
        statements = StatementCache()
        let (seconds, rest) = min(busyTimeout, .seconds(3600)).components
        sqlite3_busy_timeout(handle, Int32(clamping: seconds * 1_000 + rest / 1_000_000_000_000_000))
    }

    deinit {
        statements.removeAll()
        // A statement that is still in use keeps the connection open until it is finalised too.
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters, and drops the rows that they return.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw SQLiteError(database: handle, sql: sql)
        }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    @usableFromInline package var changes: Int64 { sqlite3_changes64(handle) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Returns a number that changes when another connection commits. Compare it only with earlier numbers of
    /// the same connection (<https://sqlite.org/pragma.html#pragma_data_version>). Costs a read of shared
    /// memory.
    package func dataVersion() throws -> Int64 {
        try first("PRAGMA data_version", read: { $0[0] }) ?? 0
    }
}

// MARK: - Cached statements

extension Database {
    /// Runs a statement with `values`, in the order of its parameters.
    @inlinable public func run<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value)
        throws(SQLiteError)
    {
        let slot = statements.slot(sql)
        let statement = try slot.checkOut(sql, connection: handle)
        try statement.run(repeat each values)
        slot.checkIn(statement)
    }

    /// Runs a statement that changes exactly one row.
    ///
    /// - Throws: `SQLiteError`; `corrupt` if no row or several rows changed. A missing row must not count as
    ///   stored.
    @inlinable public func change<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value)
        throws(SQLiteError)
    {
        try run(sql, repeat each values)
        guard changes == 1 else { throw wrongChange(sql) }
    }

    @usableFromInline func wrongChange(_ sql: String) -> SQLiteError {
        SQLiteError(code: .corrupt, message: "\(changes) rows were changed, not one", sql: sql)
    }

    /// Returns the result of `read` for the statement's first row, or nil if there is no row.
    @inlinable public func first<each Value: SQLiteValue, Result>(
        _ sql: String, _ values: repeat each Value, read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        let slot = statements.slot(sql)
        let statement = try slot.checkOut(sql, connection: handle)
        let result = try statement.first(repeat each values, read: read)
        slot.checkIn(statement)
        return result
    }

    /// Calls `body` with each row of a statement.
    @inlinable public func forEach<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value, body: (borrowing Row) throws -> Void
    ) throws {
        let slot = statements.slot(sql)
        let statement = try slot.checkOut(sql, connection: handle)
        try statement.forEach(repeat each values, body: body)
        slot.checkIn(statement)
    }

    /// Calls `body` with one row after the other until it returns false.
    @inlinable public func scan<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value, body: (borrowing Row) throws -> Bool
    ) throws {
        let slot = statements.slot(sql)
        let statement = try slot.checkOut(sql, connection: handle)
        try statement.scan(repeat each values, body: body)
        slot.checkIn(statement)
    }
}

extension Database {
    /// The time at which a transaction takes the lock for writing.
    package enum TransactionMode: String, Sendable {
        /// At the start: no other connection can change anything between the transaction's reads and its
        /// writes.
        case immediate = "BEGIN IMMEDIATE"
        /// At the first write: for transactions that only read, which then read one snapshot of the database.
        case deferred = "BEGIN DEFERRED"
    }

    /// The durability of a commit when it returns (<https://sqlite.org/pragma.html#pragma_synchronous>).
    package enum Durability: String, Sendable {
        /// A committed change survives a loss of power.
        case full = "PRAGMA synchronous=FULL"
        /// In WAL mode a loss of power may lose the last commits; the database stays consistent.
        case normal = "PRAGMA synchronous=NORMAL"
    }

    /// Sets the durability of this connection's later commits. It can't change within a transaction.
    package func setDurability(_ durability: Durability) throws(SQLiteError) {
        try execute(durability.rawValue)
    }

    /// Runs `body` in one transaction, which commits if `body` returns and rolls back if it throws.
    ///
    /// - Throws: The error of `body`, or `SQLiteError`: `busy` if another connection holds the lock for
    ///   longer than the busy timeout.
    package func transaction<Result: ~Copyable>(
        _ mode: TransactionMode, _ body: () throws -> Result
    ) throws -> Result {
        try run(mode.rawValue)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures, such as a full disk, have already rolled back.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` in a savepoint of the open transaction. If `body` throws, only the changes since the
    /// savepoint are rolled back.
    ///
    /// - Throws: The error of `body`, or `SQLiteError`. A failure such as a full disk may end the whole
    ///   transaction: `isInTransaction` is false then.
    package func savepoint<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try run("SAVEPOINT part")
        do {
            let result = try body()
            try run("RELEASE part")
            return result
        } catch {
            if isInTransaction {
                try run("ROLLBACK TO part")
                try run("RELEASE part")
            }
            throw error
        }
    }
}
