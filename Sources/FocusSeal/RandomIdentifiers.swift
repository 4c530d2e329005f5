package import FocusCore

extension GroupID {
    /// A new group's id.
    package static func random() throws(SealError) -> GroupID {
        let bytes = try SecretBytes.random(count: 16).exposed()
        return GroupID(high: bigEndianWord(bytes.prefix(8)), low: bigEndianWord(bytes.suffix(8)))
    }
}

extension ReplicaID {
    /// A new replica's id.
    package static func random() throws(SealError) -> ReplicaID {
        ReplicaID(rawValue: bigEndianWord(try SecretBytes.random(count: 8).exposed()[...]))
    }
}

/// The big-endian integer of 8 bytes.
func bigEndianWord(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
