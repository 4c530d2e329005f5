import CSQLite

/// The row a statement stands on: valid within the closure that it is handed to.
///
/// Columns are numbered from 0. SQLite converts where the types differ (NULL reads as 0 or empty), so read
/// from STRICT tables, and what may be NULL as an optional.
package struct Row: ~Copyable {
    let statement: OpaquePointer

    init(statement: OpaquePointer) { self.statement = statement }

    /// The column's value.
    package subscript<Value: SQLiteValue>(column: Int32) -> Value {
        Value(statement: statement, column: column)
    }

    /// Whether the column is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Hands the column's bytes to `body` without copying them; none for NULL.
    package func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // In this order: the count is that of the last conversion.
        let bytes = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count).bytes)
    }
}
