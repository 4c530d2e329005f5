import CSQLite

/// One connection to a database file, for one thread at a time. Closed when it goes out of scope.
///
/// Opening reads nothing from the file: a file that is no database is noticed by the first statement.
public struct Database: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    /// Kept as long as the connection.
    let disk: Disk
    @usableFromInline let statements: StatementCache

    /// Opens a connection to the file at `path`.
    ///
    /// - Parameters:
    ///   - disk: Where that is.
    ///   - busyTimeout: How long a statement waits for another connection's lock: whole milliseconds, an hour at most.
    /// - Throws: `SQLiteError`, `cannotOpen` where the file isn't there or may not be opened as `access` says.
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
        // A statement that someone still holds keeps the connection alive until it goes too.
        sqlite3_close_v2(handle)
    }

    /// Runs statements that take no values and whose rows, if any, are of no interest.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw SQLiteError(database: handle, sql: sql)
        }
    }

    /// A statement to keep and run many times; where it is run now and then, `run`, `first` and `forEach`
    /// keep it for you.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, connection: handle)
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    @usableFromInline package var changes: Int64 { sqlite3_changes64(handle) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// A number that differs from an earlier one of this connection where another connection has committed
    /// since (<https://sqlite.org/pragma.html#pragma_data_version>). Costs a look at shared memory.
    package func dataVersion() throws -> Int64 {
        try first("PRAGMA data_version", read: { $0[0] }) ?? 0
    }
}

// MARK: - Statements kept by their text

extension Database {
    /// Runs a statement with these values, in the order of its parameters.
    @inlinable public func run<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value)
        throws(SQLiteError)
    {
        let slot = statements.slot(sql)
        let statement = try slot.take(sql, connection: handle)
        try statement.run(repeat each values)
        slot.giveBack(statement)
    }

    /// Runs a statement that changes exactly one row.
    ///
    /// - Throws: `SQLiteError`; `corrupt` if it changed none, or several. What isn't there must not count as stored.
    @inlinable public func change<each Value: SQLiteValue>(_ sql: String, _ values: repeat each Value)
        throws(SQLiteError)
    {
        try run(sql, repeat each values)
        guard changes == 1 else { throw wrongChange(sql) }
    }

    @usableFromInline func wrongChange(_ sql: String) -> SQLiteError {
        SQLiteError(code: .corrupt, message: "\(changes) rows were changed, not one", sql: sql)
    }

    /// The first row a statement yields, as `read` makes of it; nil where it yields none.
    @inlinable public func first<each Value: SQLiteValue, Result>(
        _ sql: String, _ values: repeat each Value, read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        let slot = statements.slot(sql)
        let statement = try slot.take(sql, connection: handle)
        let result = try statement.first(repeat each values, read: read)
        slot.giveBack(statement)
        return result
    }

    /// Hands every row a statement yields to `body`.
    @inlinable public func forEach<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value, body: (borrowing Row) throws -> Void
    ) throws {
        let slot = statements.slot(sql)
        let statement = try slot.take(sql, connection: handle)
        try statement.forEach(repeat each values, body: body)
        slot.giveBack(statement)
    }

    /// Hands rows that a statement yields to `body` as long as that asks for the next one.
    @inlinable public func scan<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value, body: (borrowing Row) throws -> Bool
    ) throws {
        let slot = statements.slot(sql)
        let statement = try slot.take(sql, connection: handle)
        try statement.scan(repeat each values, body: body)
        slot.giveBack(statement)
    }
}

extension Database {
    /// When a transaction takes the lock for writing.
    package enum TransactionMode: String, Sendable {
        /// At once: nothing another connection does can come between what it reads and what it writes.
        case immediate = "BEGIN IMMEDIATE"
        /// When it first writes: for transactions that only read, which then see one moment of the database.
        case deferred = "BEGIN DEFERRED"
    }

    /// How far a commit goes before it returns (<https://sqlite.org/pragma.html#pragma_synchronous>).
    package enum Durability: String, Sendable {
        /// What is committed survives a loss of power.
        case full = "PRAGMA synchronous=FULL"
        /// In WAL mode the last commits may be lost with the power; the database stays whole.
        case normal = "PRAGMA synchronous=NORMAL"
    }

    /// Sets the durability of this connection's commits from here on. It can't change within a transaction.
    package func setDurability(_ durability: Durability) throws(SQLiteError) {
        try execute(durability.rawValue)
    }

    /// Runs `body` in one transaction: committed where it returns, and as if it had never been where it throws.
    ///
    /// - Throws: What `body` throws, or `SQLiteError`: `busy` where another connection held the lock for
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
            // Some failures (a full disk) have rolled back already; then there is nothing to roll back.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as a part of the transaction that is open: as if it had never been where it throws, while the rest of
    /// the transaction stays.
    ///
    /// - Throws: What `body` throws, or `SQLiteError`. Where the failure has ended the whole transaction, as a full disk
    ///   may, `isInTransaction` says so.
    package func part<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
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
