/// A Swift type that can be bound to a parameter and read from a column, in PostgreSQL's binary form.
package protocol PostgreSQLValue {
    /// The type's number (`pg_type.oid`), the same in every database.
    static var postgreSQLType: UInt32 { get }

    /// The value's bytes; nil for NULL.
    var postgreSQLBytes: [UInt8]? { get }

    /// The value of a column's bytes, which are nil if the column is NULL.
    init(postgreSQLBytes: UnsafeRawBufferPointer?)
}

extension Int64: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { 20 }

    /// Eight bytes, the highest first.
    package var postgreSQLBytes: [UInt8]? { withUnsafeBytes(of: bigEndian, Array.init) }

    /// The value of a `bigint` or a shorter integer; 0 if it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        guard let bytes, let first = bytes.first, bytes.count <= 8 else {
            self = 0
            return
        }
        self = bytes.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
    }
}

extension Int: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { Int64.postgreSQLType }

    /// The bytes of the `Int64`.
    package var postgreSQLBytes: [UInt8]? { Int64(self).postgreSQLBytes }

    /// The value of an integer; 0 if it is NULL. If `Int` is shorter than 64 bits, the upper bits are lost.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = Int(truncatingIfNeeded: Int64(postgreSQLBytes: bytes))
    }
}

/// Stored as the `Int64` of the same bits. From 2^63 on, SQL reads a negative number and orders it first.
extension UInt64: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { Int64.postgreSQLType }

    /// Eight bytes, the highest first.
    package var postgreSQLBytes: [UInt8]? { Int64(bitPattern: self).postgreSQLBytes }

    /// The number with the column's bits; 0 if the column is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = UInt64(bitPattern: Int64(postgreSQLBytes: bytes))
    }
}

extension Bool: PostgreSQLValue {
    /// `boolean`.
    package static var postgreSQLType: UInt32 { 16 }

    /// One byte: 1 if true, else 0.
    package var postgreSQLBytes: [UInt8]? { [self ? 1 : 0] }

    /// The value of a boolean; false if it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes?.first.map { $0 != 0 } ?? false
    }
}

extension String: PostgreSQLValue {
    /// `text`.
    package static var postgreSQLType: UInt32 { 25 }

    /// The text's UTF-8. PostgreSQL refuses a text that contains a zero byte.
    package var postgreSQLBytes: [UInt8]? { Array(utf8) }

    /// The text; empty if the column is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension [UInt8]: PostgreSQLValue {
    /// `bytea`.
    package static var postgreSQLType: UInt32 { 17 }

    /// The bytes themselves.
    package var postgreSQLBytes: [UInt8]? { self }

    /// The column's bytes; empty if it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) { self = bytes.map(Array.init) ?? [] }
}

/// Nil is stored as NULL.
extension Optional: PostgreSQLValue where Wrapped: PostgreSQLValue {
    /// The type of `Wrapped`.
    package static var postgreSQLType: UInt32 { Wrapped.postgreSQLType }

    /// The value's bytes; nil, which is NULL, if there is no value.
    package var postgreSQLBytes: [UInt8]? { flatMap(\.postgreSQLBytes) }

    /// The column's value; nil if it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes.map { Wrapped(postgreSQLBytes: $0) }
    }
}
