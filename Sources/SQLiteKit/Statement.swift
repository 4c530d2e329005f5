import CSQLite

/// A prepared statement, finalised when it goes out of scope. Between two runs it is reset and holds no values.
package struct Statement: ~Copyable {
    let handle: OpaquePointer

    init(_ sql: String, connection: OpaquePointer) throws(SQLiteError) {
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

    init(adopting handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Hands the handle over; whoever takes it finalises it.
    consuming func release() -> OpaquePointer {
        let handle = handle
        discard self
        return handle
    }

    /// Runs the statement to its end with these values, in the order of its parameters. Rows are dropped.
    package func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        defer { reset() }
        try bind(repeat each values)
        while try step() {}
    }

    /// The first row, as `read` makes of it; nil where there is none. The rows after it are not computed.
    package func first<each Value: SQLiteValue, Result>(
        _ values: repeat each Value, read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        defer { reset() }
        try bind(repeat each values)
        return try step() ? read(Row(statement: handle)) : nil
    }

    /// Hands every row to `body`, until it throws.
    package func forEach<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (borrowing Row) throws -> Void
    ) throws {
        defer { reset() }
        try bind(repeat each values)
        while try step() { try body(Row(statement: handle)) }
    }

    /// Hands rows to `body` as long as it asks for the next one. The rows after that are not computed.
    package func scan<each Value: SQLiteValue>(
        _ values: repeat each Value, body: (borrowing Row) throws -> Bool
    ) throws {
        defer { reset() }
        try bind(repeat each values)
        while try step() {
            guard try body(Row(statement: handle)) else { return }
        }
    }

    private func bind<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            guard value.bind(to: handle, at: index) == SQLITE_OK else { throw failure }
        }
        guard index == sqlite3_bind_parameter_count(handle) else {
            throw SQLiteError(code: .range, message: "too few values", sql: sql)
        }
    }

    /// Whether there is another row.
    private func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure
        }
    }

    private func reset() {
        // What it answers is the error that `step` has already thrown.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private var sql: String { String(cString: sqlite3_sql(handle)) }

    private var failure: SQLiteError { SQLiteError(database: sqlite3_db_handle(handle), sql: sql) }
}
