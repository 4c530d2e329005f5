public import CSQLite

/// A prepared statement, finalised when it goes out of scope. Between two runs it is reset and has no values
/// bound.
@usableFromInline @frozen struct Statement: ~Copyable {
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

    @inlinable deinit { sqlite3_finalize(handle) }

    /// Returns the handle. The caller must finalise it.
    @usableFromInline consuming func release() -> OpaquePointer {
        let handle = handle
        discard self
        return handle
    }

    /// Binds the values, in the order of the statement's parameters.
    @inlinable func bind(
        _ a: some SQLiteValue, _ b: some SQLiteValue, _ c: some SQLiteValue, _ d: some SQLiteValue,
        _ e: some SQLiteValue, _ f: some SQLiteValue, _ g: some SQLiteValue, _ h: some SQLiteValue,
        _ i: some SQLiteValue, _ j: some SQLiteValue, _ k: some SQLiteValue
    ) throws(SQLiteError) {
        var count: Int32 = 0
        try bind(a, &count)
        try bind(b, &count)
        try bind(c, &count)
        try bind(d, &count)
        try bind(e, &count)
        try bind(f, &count)
        try bind(g, &count)
        try bind(h, &count)
        try bind(i, &count)
        try bind(j, &count)
        try bind(k, &count)
        let total = count < 0 ? ~count : count
        guard total == sqlite3_bind_parameter_count(handle) else { throw tooFewValues }
    }

    /// Binds a value to the parameter after the first `count`. A `NoValue` makes `count` negative, its
    /// complement: no parameter has the number of a value after it, so SQLite refuses that value.
    @inlinable func bind(_ value: some SQLiteValue, _ count: inout Int32) throws(SQLiteError) {
        switch value.bind(to: handle, at: count + 1) {
        case SQLITE_OK: count += 1
        case NoValue.code: if count >= 0 { count = ~count }
        default: throw failure
        }
    }

    /// Advances to the next row. Returns whether there is one.
    @inlinable func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure
        }
    }

    @inlinable func reset() {
        // The result is ignored: it repeats the error that `step` has already thrown.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private var sql: String { String(cString: sqlite3_sql(handle)) }

    @usableFromInline var tooFewValues: SQLiteError {
        SQLiteError(code: .range, message: "too few values", sql: sql)
    }

    @usableFromInline var failure: SQLiteError { SQLiteError(database: sqlite3_db_handle(handle), sql: sql) }
}

/// A statement's current row, valid within the closure that receives it.
///
/// Columns are numbered from 0. SQLite converts a value of another type, and NULL to 0 or empty. So read from
/// STRICT tables, and read a column that may be NULL as an optional.
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
}

/// The prepared statements of one connection, found by their text.
@usableFromInline final class StatementCache {
    /// The place of one text's statement while it isn't running.
    ///
    /// A running statement isn't in its slot, so the same text can run again within its own row closure.
    @usableFromInline final class Slot {
        /// The statement while it isn't running; nil while it runs, and before its first run ends.
        @usableFromInline var idle: OpaquePointer?

        deinit { sqlite3_finalize(idle) }

        /// Removes and returns the slot's statement, or prepares a new one if the slot is empty.
        @inlinable func checkOut(_ sql: String, connection: OpaquePointer) throws(SQLiteError) -> Statement {
            guard let handle = idle else { return try Statement(sql, connection: connection) }
            idle = nil
            return Statement(adopting: handle)
        }

        /// Stores a statement, which must be reset, for the next run.
        @inlinable func checkIn(_ statement: consuming Statement) {
            guard idle == nil else { return }
            idle = statement.release()
        }
    }

    /// All slots, by the texts of their statements.
    private var slots: [String: Slot] = [:]
    /// The slots that were used last, found by the memory address of the text. A program's constant texts
    /// always have the same address, and hashing a text takes longer than a short statement.
    private var recent: [(sql: String, slot: Slot)?] = Array(
        repeating: nil, count: StatementCache.recentCount)

    /// The number of entries in `recent`, a power of two.
    private static let recentCount = 256

    /// Returns the slot of this text's statement.
    @usableFromInline func slot(_ sql: String) -> Slot {
        let address = sql.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } ?? 0
        let place = Int((address >> 4 ^ address >> 12) & UInt(StatementCache.recentCount - 1))
        if let known = recent[place], known.sql == sql { return known.slot }
        let slot = slots[sql] ?? addSlot(sql)
        recent[place] = (sql, slot)
        return slot
    }

    private func addSlot(_ sql: String) -> Slot {
        let slot = Slot()
        slots[sql] = slot
        return slot
    }

    /// The statements that are not running.
    var idle: [OpaquePointer] { slots.values.compactMap { $0.idle } }

    func removeAll() {
        slots.removeAll()
        recent = Array(repeating: nil, count: StatementCache.recentCount)
    }
}

/// The work of statements in SQLite's own counts (<https://sqlite.org/c3ref/c_stmtstatus_counter.html>).
/// These are the same on every machine, so tests can put a bound on the cost of a request.
package struct StatementWork: Hashable, Sendable {
    /// The operations of SQLite's virtual machine.
    package var steps = 0
    /// The rows that were visited without the help of an index.
    package var scannedRows = 0

    /// No work.
    package init() {}
}

extension DatabaseConnection {
    /// The work of this connection's cached statements since it was opened. The difference of two values is
    /// the work between them.
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
