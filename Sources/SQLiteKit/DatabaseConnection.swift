public import CSQLite

/// A connection to a database file, for one thread at a time. It closes when it goes out of scope.
///
/// Opening reads nothing from the file. If the file is no database, the first statement fails. `Failure` is
/// the error that the connection's methods throw, and their closures too.
public struct DatabaseConnection<Failure: Error>: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    /// Kept because the disk must exist as long as the connection.
    let disk: Disk
    @usableFromInline let statements: StatementCache
    /// Returns the error to throw for a failure.
    private let failing: (DatabaseFailure) -> Failure

    /// Opens a connection to the file at `path`.
    ///
    /// - Parameters:
    ///   - disk: The disk that has the file.
    ///   - busyTimeout: The time that a statement waits for another connection's lock: at most an hour, cut
    ///     to whole milliseconds.
    ///   - failing: Returns the error to throw for a failure.
    /// - Throws: `SQLiteError`: `cannotOpen` if the file doesn't exist or can't be opened with `access`.
    package init(
        path: String, on disk: Disk, access: Access, busyTimeout: Duration = .seconds(5),
        failing: @escaping (DatabaseFailure) -> Failure
    ) throws(SQLiteError) {
        handle = try DatabaseConnection.open(path: path, on: disk, access: access)
        self.failing = failing
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

    /// Returns the error to throw for this failure.
    func failure(_ failure: DatabaseFailure) -> Failure { failing(failure) }

    /// Returns the error to throw for this failure of SQLite.
    @usableFromInline func failure(_ error: SQLiteError) -> Failure { failing(.sqlite(error)) }

    /// Runs statements without parameters, and drops the rows that they return.
    package func execute(_ sql: String) throws(Failure) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw failure(SQLiteError(database: handle, sql: sql))
        }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    @usableFromInline package var changes: Int64 { sqlite3_changes64(handle) }

    /// Whether a transaction is open.
    @inlinable package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Returns a number that changes when another connection commits. Compare it only with earlier numbers of
    /// the same connection (<https://sqlite.org/pragma.html#pragma_data_version>). Costs a read of shared
    /// memory.
    @inlinable package func dataVersion() throws(Failure) -> Int64 {
        try first("PRAGMA data_version", read: { $0[0] }) ?? 0
    }
}

extension DatabaseConnection {
    /// The time at which a transaction takes the lock for writing.
    @usableFromInline package enum TransactionMode: String, Sendable {
        /// At the start: no other connection can change anything between the transaction's reads and its
        /// writes.
        case immediate = "BEGIN IMMEDIATE"
        /// At the first write: for transactions that only read, which then read one snapshot of the database.
        case deferred = "BEGIN DEFERRED"
    }

    /// The durability of a commit when it returns (<https://sqlite.org/pragma.html#pragma_synchronous>).
    package enum Durability: String, Sendable {
        /// A committed change survives a loss of power: the commit syncs the disk.
        case full = "PRAGMA synchronous=FULL"
        /// A loss of power may lose the last commits; the database stays consistent. A commit syncs nothing.
        case normal = "PRAGMA synchronous=NORMAL"
    }

    /// Sets the durability of this connection's later commits. It can't change within a transaction.
    package func setDurability(_ durability: Durability) throws(Failure) {
        // Without a write-ahead log, SQLite would sync the file at each commit.
        let isUnsynced = durability == .normal && !disk.files.needsJournal
        try execute(isUnsynced ? "PRAGMA synchronous=OFF" : durability.rawValue)
    }

    /// Runs `body` in one transaction, which commits if `body` returns and rolls back if it throws.
    ///
    /// - Throws: The error of `body`, or `Failure`: `busy` if another connection holds the lock for longer
    ///   than the busy timeout.
    @inlinable package func transaction<Result: ~Copyable>(
        _ mode: TransactionMode, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try transaction(mode, failing: { $0 }, body)
    }

    /// Does the same for a `body` that throws other errors.
    ///
    /// - Parameter failing: Returns the error to throw for an error of the connection.
    @inlinable package func transaction<Result: ~Copyable, Other: Error>(
        _ mode: TransactionMode, failing: (Failure) -> Other, _ body: () throws(Other) -> Result
    ) throws(Other) -> Result {
        do throws(Failure) { try run(mode.rawValue) } catch { throw failing(error) }
        do throws(Other) {
            let result = try body()
            do throws(Failure) { try run("COMMIT") } catch { throw failing(error) }
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
    /// - Throws: The error of `body`, or `Failure`. A failure such as a full disk may end the whole
    ///   transaction: `isInTransaction` is false then.
    @inlinable package func savepoint<Result: ~Copyable>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run("SAVEPOINT part")
        do throws(Failure) {
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
