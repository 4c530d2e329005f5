package import FocusCore
import SQLiteKit

// How FocusCore's types stand in columns, on a laptop and on the server.

/// With the highest bit flipped, so that SQL orders replicas as they are ordered: on a laptop. A server's store has always
/// kept them as they are (`PlainReplica`).
extension ReplicaID: SQLiteValue {
    /// Binds the number with its highest bit flipped, as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        (rawValue ^ 1 << 63).bind(to: statement, at: index)
    }

    /// The replica of a column that was bound so.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column) ^ 1 << 63)
    }
}

/// A replica as a server's store keeps it: the number as it is. SQL orders those from 2^63 on first.
package struct PlainReplica: SQLiteValue {
    /// The replica.
    package let id: ReplicaID

    /// This replica.
    package init(_ id: ReplicaID) { self.id = id }

    /// Binds the number's bits as an INTEGER.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        id.rawValue.bind(to: statement, at: index)
    }

    /// The replica of the column's bits.
    package init(statement: OpaquePointer, column: Int32) {
        id = ReplicaID(rawValue: UInt64(statement: statement, column: column))
    }
}

extension Stamp: SQLiteValue {
    /// Binds the stamp's bits as an INTEGER. Those of a well-formed stamp are ordered as stamps are.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        rawValue.bind(to: statement, at: index)
    }

    /// The stamp of the column's bits, well-formed or not.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column))
    }
}

extension EpochID: SQLiteValue {
    /// Binds the id's bits as an INTEGER. SQL orders those from 2^63 on first.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        rawValue.bind(to: statement, at: index)
    }

    /// The epoch of the column's bits.
    package init(statement: OpaquePointer, column: Int32) {
        self.init(rawValue: UInt64(statement: statement, column: column))
    }
}

/// A blob of 16 bytes; one of another length reads as the empty chain. Where damage is to be found, `Row.chain` reads it.
extension Chain: SQLiteValue {
    /// Binds its 16 bytes as a BLOB.
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        bytes.bind(to: statement, at: index)
    }

    /// The chain that the column's bytes are; the empty one where they aren't 16.
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
