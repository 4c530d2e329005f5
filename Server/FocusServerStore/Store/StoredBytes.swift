import FocusCore
import FocusSeal
import SQLiteKit

/// A row that focusd can't have written: the file was damaged or changed by hand.
package struct StoreDamage: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and where.
    package let description: String
}

extension Row {
    /// A group's id, kept as 16 bytes.
    func group(_ column: Int32) throws(StoreDamage) -> GroupID {
        let (high, low) = try twoWords(column, "a group's id")
        return GroupID(high: high, low: low)
    }

    /// A chain, kept as 16 bytes.
    func chain(_ column: Int32) throws(StoreDamage) -> Chain {
        let (high, low) = try twoWords(column, "a chain")
        return Chain(high: high, low: low)
    }

    /// A digest, kept as 32 bytes.
    func digest(_ column: Int32) throws(StoreDamage) -> Digest {
        guard let digest = Digest(bytes: self[column]) else {
            throw StoreDamage(description: "a key's hash has not 32 bytes")
        }
        return digest
    }

    private func twoWords(_ column: Int32, _ what: String) throws(StoreDamage) -> (UInt64, UInt64) {
        var reader = ByteReader(self[column] as [UInt8])
        do throws(ByteReader.Failure) {
            let words = (try reader.fixed(UInt64.self), try reader.fixed(UInt64.self))
            try reader.end()
            return words
        } catch {
            throw StoreDamage(description: "\(what) has not 16 bytes")
        }
    }
}
