import CPostgreSQL

/// The result of a statement: its rows, and the number of rows that it changed. It stays in memory as long as
/// one of its rows.
package final class PostgreSQLRows {
    private let library: lockstep_pq
    private let result: OpaquePointer
    /// The number of rows.
    package let count: Int

    /// Takes ownership of `result`.
    init(_ result: OpaquePointer, of library: lockstep_pq) {
        self.library = library
        self.result = result
        count = Int(library.PQntuples(result))
    }

    deinit { library.PQclear(result) }

    /// The number of rows that an INSERT, UPDATE or DELETE changed, or that a SELECT returned.
    package var changed: Int {
        library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The database's name for the command, such as `COMMIT`.
    var command: String { library.PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// Returns a column of a row, both numbered from 0. A row or column that doesn't exist reads as NULL.
    func value<Value: PostgreSQLValue>(row: Int, column: Int) -> Value {
        guard row < count, column < Int(library.PQnfields(result)),
            library.PQgetisnull(result, Int32(row), Int32(column)) == 0
        else { return Value(postgreSQLBytes: nil) }
        let length = Int(library.PQgetlength(result, Int32(row), Int32(column)))
        let bytes = library.PQgetvalue(result, Int32(row), Int32(column))
        return Value(postgreSQLBytes: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
    }

    /// The first row, or nil if there is none.
    package var first: PostgreSQLRow? { count > 0 ? PostgreSQLRow(rows: self, number: 0) : nil }

    /// Calls `body` with each row.
    package func forEach(_ body: (PostgreSQLRow) throws -> Void) rethrows {
        for number in 0..<count { try body(PostgreSQLRow(rows: self, number: number)) }
    }
}

/// One row of a statement's result.
package struct PostgreSQLRow {
    fileprivate let rows: PostgreSQLRows
    fileprivate let number: Int

    /// The value of a column, numbered from 0. NULL reads as 0, false or empty if the type isn't optional.
    package subscript<Value: PostgreSQLValue>(_ column: Int) -> Value {
        rows.value(row: number, column: column)
    }
}
