import FocusColumns
package import FocusCore
import PostgreSQLKit

// The column types of FocusCore's types in PostgreSQL. A 64-bit number is the `bigint` with the same bits. A
// value of fixed length is a `bytea`. An instant is whole milliseconds since the Unix epoch.

extension ReplicaID: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { UInt64.postgreSQLType }
    /// The `bigint` with the number's bits.
    package var postgreSQLBytes: [UInt8]? { rawValue.postgreSQLBytes }
    /// The replica with the column's bits.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self.init(rawValue: UInt64(postgreSQLBytes: bytes))
    }
}

extension EpochID: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { UInt64.postgreSQLType }
    /// The `bigint` with the id's bits.
    package var postgreSQLBytes: [UInt8]? { rawValue.postgreSQLBytes }
    /// The epoch with the column's bits.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self.init(rawValue: UInt64(postgreSQLBytes: bytes))
    }
}

extension Stamp: PostgreSQLValue {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { UInt64.postgreSQLType }
    /// The `bigint` with the stamp's bits.
    package var postgreSQLBytes: [UInt8]? { rawValue.postgreSQLBytes }
    /// The stamp with the column's bits, well-formed or not.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self.init(rawValue: UInt64(postgreSQLBytes: bytes))
    }
}

/// Stored as whole milliseconds since the Unix epoch.
extension Instant: PostgreSQLValue where Scale == SharedTime {
    /// `bigint`.
    package static var postgreSQLType: UInt32 { Int64.postgreSQLType }
    /// The `bigint` of its milliseconds.
    package var postgreSQLBytes: [UInt8]? { milliseconds.postgreSQLBytes }
    /// The instant with the column's milliseconds.
    package init(postgreSQLBytes bytes: UnsafeRawBufferPointer?) {
        self.init(milliseconds: Int64(postgreSQLBytes: bytes))
    }
}

// Reading of values of a fixed length. A column of another length throws `RowCorruption`.
extension PostgreSQLRow {
    /// A group's id, stored as 16 bytes.
    func group(_ column: Int) throws(RowCorruption) -> GroupID {
        let (high, low) = try twoWords(column, "a group's id")
        return GroupID(high: high, low: low)
    }

    /// A chain, stored as 16 bytes.
    func chain(_ column: Int) throws(RowCorruption) -> Chain {
        let (high, low) = try twoWords(column, "a chain")
        return Chain(high: high, low: low)
    }

    /// A digest, stored as 32 bytes.
    func digest(_ column: Int) throws(RowCorruption) -> Digest {
        guard let digest = Digest(bytes: self[column]) else {
            throw RowCorruption(description: "a key's hash has not 32 bytes")
        }
        return digest
    }

    /// A digest, or nil if the column is NULL.
    func digestOrNil(_ column: Int) throws(RowCorruption) -> Digest? {
        isNull(column) ? nil : try digest(column)
    }

    /// Whether a column is NULL.
    func isNull(_ column: Int) -> Bool { (self[column] as [UInt8]?) == nil }

    private func twoWords(_ column: Int, _ what: String) throws(RowCorruption) -> (UInt64, UInt64) {
        var reader = ByteReader(self[column] as [UInt8])
        do throws(ByteReader.Failure) {
            let words = (try reader.fixed(UInt64.self), try reader.fixed(UInt64.self))
            try reader.end()
            return words
        } catch {
            throw RowCorruption(description: "\(what) has not 16 bytes")
        }
    }
}

extension String {
    /// The text with a question mark for each NUL character, which PostgreSQL doesn't accept.
    var withoutZeros: String {
        utf8.contains(0) ? String(decoding: utf8.map { $0 == 0 ? 0x3F : $0 }, as: UTF8.self) : self
    }
}
