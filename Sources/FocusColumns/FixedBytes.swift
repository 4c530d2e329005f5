package import FocusCore
package import SQLiteKit

/// A row that the programs can't have written: the file was damaged or changed by hand.
package struct RowDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and where.
    package let description: String

    /// This is wrong.
    package init(description: String) { self.description = description }
}

// What has a fixed length, read from a column that has to have it.
extension Row {
    /// A group's id, kept as 16 bytes.
    package func group(_ column: Int32) throws(RowDamage) -> GroupID {
        let (high, low) = try twoWords(column, "a group's id")
        return GroupID(high: high, low: low)
    }

    /// A chain, kept as 16 bytes.
    package func chain(_ column: Int32) throws(RowDamage) -> Chain {
        let (high, low) = try twoWords(column, "a chain")
        return Chain(high: high, low: low)
    }

    /// A digest, kept as 32 bytes.
    package func digest(_ column: Int32) throws(RowDamage) -> Digest {
        guard let digest = Digest(bytes: self[column]) else {
            throw RowDamage(description: "a key's hash has not 32 bytes")
        }
        return digest
    }

    private func twoWords(_ column: Int32, _ what: String) throws(RowDamage) -> (UInt64, UInt64) {
        var reader = ByteReader(self[column] as [UInt8])
        do throws(ByteReader.Failure) {
            let words = (try reader.fixed(UInt64.self), try reader.fixed(UInt64.self))
            try reader.end()
            return words
        } catch {
            throw RowDamage(description: "\(what) has not 16 bytes")
        }
    }
}
