public import CSQLite

/// A prepared statement, finalised when it goes out of scope. Between two runs it is reset and holds no values.
public struct Statement: ~Copyable {
    @usableFromInline let handle: OpaquePointer

    @usableFromInline init(_ sql: String, connection: OpaquePointer) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(connection, sql, -1, flags, &prepared, nil) == SQLITE_OK else {
            throw SQLiteError(database: connection, sql: sql)
        }
        guard let prepared else {
            throw SQLiteError(code: .misuse, message: "there is no statement in this text", sql: sql)
        }
        handle = prepared
    }

    @inlinable init(adopting handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Hands the handle over; whoever takes it finalises it.
    @usableFromInline consuming func release() -> OpaquePointer {
        let handle = handle
        discard self
        return handle
    }

    /// Runs the statement to its end with these values, in the order of its parameters. Rows are dropped.
    @inlinable public func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        defer { reset() }
        try bind(repeat each values)
        while try step() {}
    }

    /// The first row, as `read` makes of it; nil where there is none. The rows after it are not computed.
    @inlinable public func first<each Value: SQLiteValue, Result>(
        _ values: repeat each Value, read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        defer { reset() }
        try bind(repeat each values)
        return try step() ? read(Row(statement: handle)) : nil
    }

    /// Hands every row to `body`, until it throws.
    @inlinable public func forEach<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (borrowing Row) throws -> Void
    ) throws {
        defer { reset() }
        try bind(repeat each values)
        while try step() { try body(Row(statement: handle)) }
    }

    /// Hands rows to `body` as long as it asks for the next one. The rows after that are not computed.
    @inlinable public func scan<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (borrowing Row) throws -> Bool
    ) throws {
        defer { reset() }
        try bind(repeat each values)
        while try step() {
            guard try body(Row(statement: handle)) else { return }
        }
    }

    @inlinable func bind<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            guard value.bind(to: handle, at: index) == SQLITE_OK else { throw failure }
        }
        guard index == sqlite3_bind_parameter_count(handle) else {
            throw tooFewValues
        }
    }

    /// Whether there is another row.
    @inlinable func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure
        }
    }

    @inlinable func reset() {
        // What it answers is the error that `step` has already thrown.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private var sql: String { String(cString: sqlite3_sql(handle)) }

    @usableFromInline var tooFewValues: SQLiteError {
        SQLiteError(code: .range, message: "too few values", sql: sql)
    }

    @usableFromInline var failure: SQLiteError { SQLiteError(database: sqlite3_db_handle(handle), sql: sql) }
}

/// The row a statement stands on: valid within the closure that it is handed to.
///
/// Columns are numbered from 0. SQLite converts where the types differ (NULL reads as 0 or empty), so read
/// from STRICT tables, and what may be NULL as an optional.
public struct Row: ~Copyable {
    @usableFromInline let statement: OpaquePointer

    @inlinable init(statement: OpaquePointer) { self.statement = statement }

    /// The column's value.
    @inlinable public subscript<Value: SQLiteValue>(column: Int32) -> Value {
        Value(statement: statement, column: column)
    }

    /// Whether the column is NULL.
    @inlinable public func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// Hands the column's bytes to `body` without copying them; none for NULL.
    @inlinable public func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // In this order: the count is that of the last conversion.
        let bytes = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count).bytes)
    }
}

/// The prepared statements of one connection, by their text.
@usableFromInline final class StatementCache {
    /// Where the statement of a text is kept while nobody runs it.
    ///
    /// One that is running is out of its slot, so the same text can be run again within its own row closure.
    @usableFromInline final class Slot {
        @usableFromInline var idle: OpaquePointer?

        deinit { sqlite3_finalize(idle) }

        /// The statement of this text, for the caller alone until it gives it back.
        @inlinable func take(_ sql: String, connection: OpaquePointer) throws(SQLiteError) -> Statement {
            guard let handle = idle else { return try Statement(sql, connection: connection) }
            idle = nil
            return Statement(adopting: handle)
        }

        /// Keeps a statement, which must be reset, for the next who takes it.
        @inlinable func giveBack(_ statement: consuming Statement) {
            guard idle == nil else { return }
            idle = statement.release()
        }
    }

    private var slots: [String: Slot] = [:]
    /// Those that were asked for last, by where their text lies. A program's own texts always lie in the same place, and
    /// are found to be the same by that: hashing one takes longer than a short statement.
    private var lately: [(sql: String, slot: Slot)?] = Array(repeating: nil, count: StatementCache.places)

    /// A power of two.
    private static let places = 256

    /// The slot of the statement of this text.
    @usableFromInline func slot(_ sql: String) -> Slot {
        let address = sql.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } ?? 0
        let place = Int((address >> 4 ^ address >> 12) & UInt(StatementCache.places - 1))
        if let known = lately[place], known.sql == sql { return known.slot }
        let slot = slots[sql] ?? addSlot(sql)
        lately[place] = (sql, slot)
        return slot
    }

    private func addSlot(_ sql: String) -> Slot {
        let slot = Slot()
        slots[sql] = slot
        return slot
    }

    /// The statements that nobody runs now.
    var idle: [OpaquePointer] { slots.values.compactMap(\.idle) }

    func removeAll() {
        slots.removeAll()
        lately = Array(repeating: nil, count: StatementCache.places)
    }
}

/// How much statements have done, in SQLite's own counts (<https://sqlite.org/c3ref/c_stmtstatus_counter.html>): the same
/// on every machine, so that what a request costs can be held.
package struct StatementWork: Hashable, Sendable {
    /// Operations of SQLite's virtual machine.
    package var steps = 0
    /// Rows that were stepped to because no index led there.
    package var scannedRows = 0

    /// No work.
    package init() {}
}

extension Database {
    /// What this connection's kept statements have done since it was opened. Less of two is what was done between.
    package var work: StatementWork { statements.work }
}

extension StatementCache {
    fileprivate var work: StatementWork {
        var work = StatementWork()
        for statement in idle {
            work.steps += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
            work.scannedRows += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
        }
        return work
    }
}
