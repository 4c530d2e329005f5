package import FocusCore
package import SQLiteKit

// FocusCore's types as columns, on a laptop and on the server.

/// Stored with the highest bit flipped, so that SQL orders replicas as Swift does. A laptop's store uses this
/// form; a server's store uses `PlainReplica`.
extension ReplicaID: SQLiteValue {
    /// Binds the number with its highest bit flipped, as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        (rawValue ^ 1 << 63).bind(to: statement, at: index)
    }

    /// The replica of a column that was bound with its highest bit flipped.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column) ^ 1 << 63)
    }
}

/// A replica as a server's store keeps it: the plain number. SQL reads numbers of 2^63 and more as negative, so
/// it orders them first.
package struct PlainReplica: SQLiteValue {
    /// The replica.
    package let id: ReplicaID

    /// A column value for this replica.
    package init(_ id: ReplicaID) { self.id = id }

    /// Binds the number's bits as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        id.rawValue.bind(to: statement, at: index)
    }

    /// The replica with the column's bits.
    package init(statement: OpaquePointer, column: Int32) {
        id = ReplicaID(rawValue: UInt64(statement: statement, column: column))
    }
}

extension Stamp: SQLiteValue {
    /// Binds the stamp's bits as an INTEGER. SQL orders well-formed stamps correctly.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        rawValue.bind(to: statement, at: index)
    }

    /// The stamp with the column's bits, well-formed or not.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column))
    }
}

extension EpochID: SQLiteValue {
    /// Binds the id's bits as an INTEGER. SQL reads ids of 2^63 and more as negative, so it orders them first.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        rawValue.bind(to: statement, at: index)
    }

    /// The epoch with the column's bits.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column))
    }
}

/// Stored as a blob of 16 bytes. A blob of another length reads as the empty chain; `Row.chain` reports it as
/// damage.
extension Chain: SQLiteValue {
    /// Binds the 16 bytes as a BLOB.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.bytes.bind(to: statement, at: index) }
    }

    /// The chain of the column's bytes; the empty chain if there aren't 16.
    package init(statement: OpaquePointer, column: Int32) {
        var reader = ByteReader([UInt8](statement: statement, column: column))
        do throws(ByteReader.Failure) {
            self.init(high: try reader.fixed(), low: try reader.fixed())
            try reader.end()
        } catch {
            self = .empty
        }
    }
}

/// Stored as whole milliseconds since the Unix epoch.
extension Instant: SQLiteValue where Scale == SharedTime {
    /// Binds the milliseconds as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        milliseconds.bind(to: statement, at: index)
    }

    /// The instant of the column's milliseconds.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(milliseconds: Int64(statement: statement, column: column))
    }
}

/// A row that the programs can't have written: the file is damaged or was changed by hand.
package struct RowCorruption: Error, Hashable, Sendable, CustomStringConvertible {
    /// The damage, and the place in the file.
    package let description: String

    /// Damage with this description.
    package init(description: String) { self.description = description }
}

// Values of a fixed length, read from a column that must have exactly that length.
extension Row {
    /// Returns a group's id, stored as 16 bytes.
    package func group(_ column: Int32) throws(RowCorruption) -> GroupID {
        let (high, low) = try twoWords(column, "a group's id")
        return GroupID(high: high, low: low)
    }

    /// Returns a chain, stored as 16 bytes.
    package func chain(_ column: Int32) throws(RowCorruption) -> Chain {
        let (high, low) = try twoWords(column, "a chain")
        return Chain(high: high, low: low)
    }

    /// Returns a digest, stored as 32 bytes.
    package func digest(_ column: Int32) throws(RowCorruption) -> Digest {
        guard let digest = Digest(bytes: self[column]) else {
            throw RowCorruption(description: "a key's hash has not 32 bytes")
        }
        return digest
    }

    private func twoWords(_ column: Int32, _ what: String) throws(RowCorruption) -> (UInt64, UInt64) {
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
