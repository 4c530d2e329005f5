package import FocusCore

/// A group's key during one epoch: 32 random bytes, from which the key that seals events is derived.
package struct EpochKey: Hashable, Sendable {
    /// The epoch's id: the first 8 bytes of the key's SHA-256.
    package let epoch: EpochID
    /// The 32 bytes of the key.
    package let secret: SecretBytes

    /// The length of a key, in bytes.
    package static let length = 32

    /// The key with these bytes.
    ///
    /// - Throws: `SealError.Code.malformedKey` if there aren't exactly 32.
    package init(_ secret: SecretBytes) throws(SealError) {
        guard secret.count == EpochKey.length else {
            throw SealError(.malformedKey, "a group key has \(secret.count) bytes instead of 32")
        }
        var hasher = try SHA256()
        let hash = try secret.withBytes { bytes throws(SealError) in try hasher.hash(bytes) }
        epoch = EpochID(rawValue: hash.bigEndianWord(at: 0))
        self.secret = secret
    }

    /// Returns a random key for a new epoch.
    package static func random() throws(SealError) -> EpochKey {
        try EpochKey(SecretBytes.random(count: length))
    }

    /// Returns the 64-byte AES-256-SIV key that seals the group's events: HKDF-SHA256 of the epoch key, with
    /// `"lockstep/seal/1"` and the group's id as info.
    func sealingKey(group: GroupID) throws(SealError) -> SecretBytes {
        try HKDF.derive(secret, info: Array("lockstep/seal/1".utf8) + group.bytes, count: SIVKey.keyLength)
    }

    package static func == (left: EpochKey, right: EpochKey) -> Bool { left.secret == right.secret }

    package func hash(into hasher: inout Hasher) { hasher.combine(epoch) }
}
