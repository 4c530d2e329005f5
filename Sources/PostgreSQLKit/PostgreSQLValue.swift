/// A Swift value that a parameter can take and a column can give, in PostgreSQL's binary form.
package protocol PostgreSQLValue {
    /// The type's number (`pg_type.oid`), the same in every database.
    static var postgreSQLType: UInt32 { get }

    /// The value's bytes; nil is NULL.
    var postgreSQLBytes: [UInt8]? { get }

    /// The value of a column's bytes, nil where it is NULL.
    init(postgreSQLBytes: UnsafeRawBufferPointer?)
}

extension Int64: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { 20 }

    /// Eight bytes, the highest first.
    package var postgreSQLBytes: [UInt8]? { withUnsafeBytes(of: bigEndian, Array.init) }

    /// Of `bigint` and whatever integer is shorter; 0 where it is NULL.
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

    /// As of an `Int64`.
    package var postgreSQLBytes: [UInt8]? { Int64(self).postgreSQLBytes }

    /// 0 where it is NULL. Where `Int` is shorter than 64 bits, the upper ones are lost.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = Int(truncatingIfNeeded: Int64(postgreSQLBytes: bytes))
    }
}

/// Kept as the Int64 of the same bits: from 2^63 on, SQL sees a negative number and orders it first.
extension UInt64: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { Int64.postgreSQLType }

    /// Eight bytes, the highest first.
    package var postgreSQLBytes: [UInt8]? { Int64(bitPattern: self).postgreSQLBytes }

    /// The number of the column's bits, 0 where it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = UInt64(bitPattern: Int64(postgreSQLBytes: bytes))
    }
}

extension Bool: PostgreSQLValue {
    /// `boolean`.
    package static var postgreSQLType: UInt32 { 16 }

    /// One byte, 1 where it is true.
    package var postgreSQLBytes: [UInt8]? { [self ? 1 : 0] }

    /// False where it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes?.first.map { $0 != 0 } ?? false
    }
}

extension String: PostgreSQLValue {
    /// `text`.
    package static var postgreSQLType: UInt32 { 25 }

    /// Its UTF-8. PostgreSQL refuses one that has a zero in it.
    package var postgreSQLBytes: [UInt8]? { Array(utf8) }

    /// Empty where it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension [UInt8]: PostgreSQLValue {
    /// `bytea`.
    package static var postgreSQLType: UInt32 { 17 }

    /// The bytes themselves.
    package var postgreSQLBytes: [UInt8]? { self }

    /// None where it is NULL.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) { self = bytes.map(Array.init) ?? [] }
}

/// nil is NULL.
extension Optional: PostgreSQLValue where Wrapped: PostgreSQLValue {
    /// As of the value, where there is one.
    package static var postgreSQLType: UInt32 { Wrapped.postgreSQLType }

    /// As of the value, or NULL where there is none.
    package var postgreSQLBytes: [UInt8]? { flatMap(\.postgreSQLBytes) }

    /// nil where the column is NULL, else its value.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self = bytes.map { Wrapped(postgreSQLBytes: $0) }
    }
}
