public import CSQLite

/// A Swift value that a parameter can take and a column can give.
///
/// Public and inlinable, as all that a statement is run by: what is generic is compiled for its types in other modules only
/// so, and binding a value or reading a column is a few instructions then, rather than some hundreds.
public protocol SQLiteValue {
    /// Binds the value to the parameter `index`, numbered from 1, and answers SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32

    /// The value of a column, numbered from 0, of the row that the statement stands on.
    init(statement: OpaquePointer, column: Int32)
}

extension Int64: SQLiteValue {
    /// Binds it as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }

    /// The column as an integer, 0 where it is NULL.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = sqlite3_column_int64(statement, column)
    }
}

extension Int: SQLiteValue {
    /// Binds it as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }

    /// The column as an integer, 0 where it is NULL. Where `Int` is shorter than 64 bits, the upper ones are lost.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = Int(truncatingIfNeeded: sqlite3_column_int64(statement, column))
    }
}

/// Kept as the Int64 of the same bits: from 2^63 on, SQL sees a negative number and orders it first.
extension UInt64: SQLiteValue {
    /// Binds the Int64 of the same bits as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(bitPattern: self))
    }

    /// The number of the bits of the column's integer, 0 where it is NULL.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = UInt64(bitPattern: sqlite3_column_int64(statement, column))
    }
}

/// Kept as 0 or 1.
extension Bool: SQLiteValue {
    /// Binds 1 for true and 0 for false, as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }

    /// False where the column is 0 or NULL, else true.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = sqlite3_column_int64(statement, column) != 0
    }
}

/// Kept as text. Bytes that are no UTF-8 come back with replacement characters.
extension String: SQLiteValue {
    /// Binds it as TEXT, of which SQLite makes a copy. Cost: linear in the text.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { utf8 in
            guard let bytes = utf8.baseAddress else { return lockstep_bind_text(statement, index, "", 0) }
            return bytes.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                lockstep_bind_text(statement, index, $0, UInt64(utf8.count))
            }
        }
    }

    /// The column as a text, empty where it is NULL. Cost: linear in it.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        guard let bytes = sqlite3_column_text(statement, column) else {
            self = ""
            return
        }
        let count = Int(sqlite3_column_bytes(statement, column))
        self = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}

extension RawSpan {
    /// Binds the bytes as a BLOB, of which SQLite makes a copy. Cost: linear in them.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            // A blob without an address would be NULL.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : lockstep_bind_blob(statement, index, bytes.baseAddress, UInt64(bytes.count))
        }
    }
}

/// Kept as a blob.
extension [UInt8]: SQLiteValue {
    /// Binds them as a BLOB, of which SQLite makes a copy. Cost: linear in them.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        span.bytes.bind(to: statement, at: index)
    }

    /// The column's bytes, none where it is NULL. Cost: linear in them.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        let bytes = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        self = Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }
}

/// nil is NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    /// Binds the value, or NULL where there is none.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: sqlite3_bind_null(statement, index)
        }
    }

    /// nil where the column is NULL, else its value.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self =
            sqlite3_column_type(statement, column) == SQLITE_NULL
            ? nil : Wrapped(statement: statement, column: column)
    }
}
