public import CSQLite

/// The absence of a value: the default of each parameter for which a call has no value.
public struct NoValue: SQLiteValue {
    /// The result of `bind`, which SQLite returns for no value.
    @inlinable static var code: Int32 { SQLITE_DONE }

    /// The absence of a value.
    @inlinable public init() {}

    /// Binds nothing.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { NoValue.code }

    /// The absence of a value. The column is not read.
    @inlinable public init(statement: OpaquePointer, column: Int32) {}
}

// Each function takes up to eleven values, in the order of the statement's parameters. They are no parameter
// pack, because Embedded Swift has none.
extension DatabaseConnection {
    /// Calls `body` with one row after the other until it returns false. Later rows are not computed.
    @inlinable
    public func scan<
        A: SQLiteValue, B: SQLiteValue, C: SQLiteValue, D: SQLiteValue, E: SQLiteValue, F: SQLiteValue,
        G: SQLiteValue, H: SQLiteValue, I: SQLiteValue, J: SQLiteValue, K: SQLiteValue
    >(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue(), _ c: C = NoValue(), _ d: D = NoValue(),
        _ e: E = NoValue(), _ f: F = NoValue(), _ g: G = NoValue(), _ h: H = NoValue(),
        _ i: I = NoValue(), _ j: J = NoValue(), _ k: K = NoValue(),
        body: (borrowing Row) throws(Failure) -> Bool
    ) throws(Failure) {
        let slot = statements.slot(sql)
        let statement = try checkOut(sql, slot)
        do throws(SQLiteError) {
            try statement.bind(a, b, c, d, e, f, g, h, i, j, k)
        } catch { throw failure(error) }
        while try hasRow(statement), try body(Row(statement: statement.handle)) {}
        statement.reset()
        slot.checkIn(statement)
    }

    /// Removes and returns the slot's statement, or prepares a new one.
    @inlinable func checkOut(_ sql: String, _ slot: StatementCache.Slot) throws(Failure) -> Statement {
        do throws(SQLiteError) {
            return try slot.checkOut(sql, connection: handle)
        } catch { throw failure(error) }
    }

    /// Advances to the next row. Returns whether there is one.
    @inlinable func hasRow(_ statement: borrowing Statement) throws(Failure) -> Bool {
        do throws(SQLiteError) { return try statement.step() } catch { throw failure(error) }
    }

    /// Calls `body` with each row of a statement, until it throws.
    @inlinable
    public func forEach<
        A: SQLiteValue, B: SQLiteValue, C: SQLiteValue, D: SQLiteValue, E: SQLiteValue, F: SQLiteValue,
        G: SQLiteValue, H: SQLiteValue, I: SQLiteValue, J: SQLiteValue, K: SQLiteValue
    >(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue(), _ c: C = NoValue(), _ d: D = NoValue(),
        _ e: E = NoValue(), _ f: F = NoValue(), _ g: G = NoValue(), _ h: H = NoValue(),
        _ i: I = NoValue(), _ j: J = NoValue(), _ k: K = NoValue(),
        body: (borrowing Row) throws(Failure) -> Void
    ) throws(Failure) {
        try scan(sql, a, b, c, d, e, f, g, h, i, j, k) { (row: borrowing Row) throws(Failure) in
            try body(row)
            return true
        }
    }

    /// Returns the result of `read` for the statement's first row, or nil if there is no row. Later rows are
    /// not computed.
    @inlinable
    public func first<
        A: SQLiteValue, B: SQLiteValue, C: SQLiteValue, D: SQLiteValue, E: SQLiteValue, F: SQLiteValue,
        G: SQLiteValue, H: SQLiteValue, I: SQLiteValue, J: SQLiteValue, K: SQLiteValue, Result
    >(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue(), _ c: C = NoValue(), _ d: D = NoValue(),
        _ e: E = NoValue(), _ f: F = NoValue(), _ g: G = NoValue(), _ h: H = NoValue(),
        _ i: I = NoValue(), _ j: J = NoValue(), _ k: K = NoValue(),
        read: (borrowing Row) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var result: Result?
        try scan(sql, a, b, c, d, e, f, g, h, i, j, k) { (row: borrowing Row) throws(Failure) in
            result = try read(row)
            return false
        }
        return result
    }

    /// Runs a statement with these values. Rows are dropped.
    @inlinable
    public func run<
        A: SQLiteValue, B: SQLiteValue, C: SQLiteValue, D: SQLiteValue, E: SQLiteValue, F: SQLiteValue,
        G: SQLiteValue, H: SQLiteValue, I: SQLiteValue, J: SQLiteValue, K: SQLiteValue
    >(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue(), _ c: C = NoValue(), _ d: D = NoValue(),
        _ e: E = NoValue(), _ f: F = NoValue(), _ g: G = NoValue(), _ h: H = NoValue(),
        _ i: I = NoValue(), _ j: J = NoValue(), _ k: K = NoValue()
    ) throws(Failure) {
        try scan(sql, a, b, c, d, e, f, g, h, i, j, k) { _ in true }
    }

    /// Runs a statement that changes exactly one row.
    ///
    /// - Throws: `Failure`; `corrupt` if no row or several rows changed. A missing row must not count as
    ///   stored.
    @inlinable
    public func change<
        A: SQLiteValue, B: SQLiteValue, C: SQLiteValue, D: SQLiteValue, E: SQLiteValue, F: SQLiteValue,
        G: SQLiteValue, H: SQLiteValue, I: SQLiteValue, J: SQLiteValue, K: SQLiteValue
    >(
        _ sql: String, _ a: A = NoValue(), _ b: B = NoValue(), _ c: C = NoValue(), _ d: D = NoValue(),
        _ e: E = NoValue(), _ f: F = NoValue(), _ g: G = NoValue(), _ h: H = NoValue(),
        _ i: I = NoValue(), _ j: J = NoValue(), _ k: K = NoValue()
    ) throws(Failure) {
        try run(sql, a, b, c, d, e, f, g, h, i, j, k)
        guard changes == 1 else { throw wrongChange(sql) }
    }

    @usableFromInline func wrongChange(_ sql: String) -> Failure {
        failure(SQLiteError(code: .corrupt, message: "\(changes) rows were changed, not one", sql: sql))
    }
}
