public import CSQLite

/// A Swift type that can be bound to a parameter and read from a column.
///
/// It is public and inlinable, as is everything that runs a statement, so that other modules compile it for
/// their own types. Binding a value or reading a column then takes a few instructions instead of some
/// hundreds.
public protocol SQLiteValue {
    /// Binds the value to the parameter `index`, numbered from 1, and returns SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32

    /// The value of a column, numbered from 0, in the statement's current row.
    init(statement: OpaquePointer, column: Int32)
}

extension Int64: SQLiteValue {
    /// Binds the number as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }

    /// The column as an integer; 0 if it is NULL.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = sqlite3_column_int64(statement, column)
    }
}

extension Int: SQLiteValue {
    /// Binds the number as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }

    /// The column as an integer; 0 if it is NULL. If `Int` is shorter than 64 bits, the upper bits are lost.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = Int(truncatingIfNeeded: sqlite3_column_int64(statement, column))
    }
}

/// Stored as the `Int64` of the same bits. From 2^63 on, SQL reads a negative number and orders it first.
extension UInt64: SQLiteValue {
    /// Binds the `Int64` of the same bits as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(bitPattern: self))
    }

    /// The number with the bits of the column's integer; 0 if the column is NULL.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = UInt64(bitPattern: sqlite3_column_int64(statement, column))
    }
}

/// Stored as 0 or 1.
extension Bool: SQLiteValue {
    /// Binds 1 for true and 0 for false, as an INTEGER.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }

    /// False if the column is 0 or NULL, else true.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self = sqlite3_column_int64(statement, column) != 0
    }
}

/// Stored as text. When read, bytes that aren't UTF-8 become replacement characters.
extension String: SQLiteValue {
    /// Binds the text as TEXT, which SQLite copies. Cost: linear in the text.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { utf8 in
            guard let bytes = utf8.baseAddress else { return lockstep_bind_text(statement, index, "", 0) }
            return bytes.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                lockstep_bind_text(statement, index, $0, UInt64(utf8.count))
            }
        }
    }

    /// The column as text; empty if it is NULL. Cost: linear in the text.
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
    /// Binds the bytes as a BLOB, which SQLite copies. Cost: linear in their number.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            // SQLite reads a blob without an address as NULL.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : lockstep_bind_blob(statement, index, bytes.baseAddress, UInt64(bytes.count))
        }
    }
}

/// Stored as a blob.
extension [UInt8]: SQLiteValue {
    /// Binds the bytes as a BLOB, which SQLite copies. Cost: linear in their number.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        span.bytes.bind(to: statement, at: index)
    }

    /// The column's bytes; empty if it is NULL. Cost: linear in their number.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        let bytes = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        self = Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }
}

/// Nil is stored as NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    /// Binds the value, or NULL if it is nil.
    @inlinable public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: sqlite3_bind_null(statement, index)
        }
    }

    /// The column's value; nil if it is NULL.
    @inlinable public init(statement: OpaquePointer, column: Int32) {
        self =
            sqlite3_column_type(statement, column) == SQLITE_NULL
            ? nil : Wrapped(statement: statement, column: column)
    }
}
