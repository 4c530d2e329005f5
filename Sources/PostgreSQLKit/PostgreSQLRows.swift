import CPostgreSQL

/// What a statement came to: its rows, and how many it changed. It lives as long as one of its rows does.
package final class PostgreSQLRows {
    private let library: lockstep_pq
    private let result: OpaquePointer
    /// How many rows there are.
    package let count: Int

    /// Owns the result from now on.
    init(_ result: OpaquePointer, of library: lockstep_pq) {
        self.library = library
        self.result = result
        count = Int(library.PQntuples(result))
    }

    deinit { library.PQclear(result) }

    /// How many rows an INSERT, UPDATE or DELETE changed, or how many a SELECT gave.
    package var changed: Int {
        library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// What was done, in the database's words, as in `COMMIT`.
    var command: String { library.PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// A column of a row, both from 0. What isn't there reads as NULL.
    func value<Value: PostgreSQLValue>(row: Int, column: Int) -> Value {
        guard row < count, column < Int(library.PQnfields(result)),
            library.PQgetisnull(result, Int32(row), Int32(column)) == 0
        else { return Value(postgreSQLBytes: nil) }
        let length = Int(library.PQgetlength(result, Int32(row), Int32(column)))
        let bytes = library.PQgetvalue(result, Int32(row), Int32(column))
        return Value(postgreSQLBytes: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
    }

    /// The first row; nil where there is none.
    package var first: PostgreSQLRow? { count > 0 ? PostgreSQLRow(rows: self, number: 0) : nil }

    /// Hands every row to `body`.
    package func forEach(_ body: (PostgreSQLRow) throws -> Void) rethrows {
        for number in 0..<count { try body(PostgreSQLRow(rows: self, number: number)) }
    }
}

/// One row of what a statement came to.
package struct PostgreSQLRow {
    fileprivate let rows: PostgreSQLRows
    fileprivate let number: Int

    /// A column, from 0. NULL reads as 0, false or nothing where the type has no nil.
    package subscript<Value: PostgreSQLValue>(_ column: Int) -> Value {
        rows.value(row: number, column: column)
    }
}
