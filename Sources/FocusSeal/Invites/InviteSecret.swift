package import FocusCore

/// The secret of an invite: 16 random bytes. Two values are derived from it: the token that the server
/// checks, and the key under which the group's key is wrapped (docs/protocol.md, "Invites").
package struct InviteSecret: Hashable, Sendable {
    let bytes: SecretBytes

    /// The length of a secret, in bytes.
    package static let length = 16

    /// The secret with these bytes, or nil if there aren't exactly 16.
    package init?(_ bytes: SecretBytes) {
        guard bytes.count == InviteSecret.length else { return nil }
        self.bytes = bytes
    }

    private init(random bytes: SecretBytes) { self.bytes = bytes }

    /// Returns a new random secret.
    package static func random() throws(SealError) -> InviteSecret {
        InviteSecret(random: try .random(count: length))
    }

    /// Returns the token that a device shows the server to enrol.
    package func token() throws(SealError) -> InviteToken {
        InviteToken(try HKDF.derive(bytes, info: Array("lockstep/token/1".utf8), count: InviteToken.length))
    }

    /// Wraps a group's id and key. The server keeps the result until the invite is used.
    package func wrap(_ bundle: GroupBundle) throws(SealError) -> [UInt8] {
        let plain = bundle.group.bytes + bundle.key.secret.exposed()
        return try wrappingKey().seal(plain.span.bytes, associated: [InviteSecret.wrappingPurpose])
    }

    /// Unwraps a group's id and key.
    ///
    /// - Throws: `SealError.Code.notAuthentic` if another invite's secret wrapped them, or they were altered;
    ///   `.malformedKey`.
    package func unwrap(_ wrapped: [UInt8]) throws(SealError) -> GroupBundle {
        let plain = try wrappingKey().open(
            wrapped.span.bytes, associated: [InviteSecret.wrappingPurpose])
        guard plain.count == 16 + EpochKey.length else {
            throw SealError(.malformedKey, "a wrapped group key has the wrong length")
        }
        let group = GroupID(high: bigEndianWord(plain[0..<8]), low: bigEndianWord(plain[8..<16]))
        return GroupBundle(group: group, key: try EpochKey(SecretBytes(Array(plain[16...]))))
    }

    private static let wrappingPurpose = Array("lockstep/wrap/1".utf8)

    private func wrappingKey() throws(SealError) -> SIVKey {
        try SIVKey(HKDF.derive(bytes, info: InviteSecret.wrappingPurpose, count: SIVKey.keyLength))
    }

    package static func == (left: InviteSecret, right: InviteSecret) -> Bool { left.bytes == right.bytes }

    /// Adds nothing to the hash, so that a hash table's layout shows nothing of a secret.
    package func hash(into hasher: inout Hasher) {}
}

/// The data that a device needs to read a group's log: the group's id, and the key of the newest epoch.
package struct GroupBundle: Hashable, Sendable {
    /// The id of the group.
    package let group: GroupID
    /// The key of the epoch that was the newest when the invite was made.
    package let key: EpochKey

    /// The data that an invite to a group passes on, in wrapped form.
    package init(group: GroupID, key: EpochKey) {
        self.group = group
        self.key = key
    }
}

/// The token that proves an invite to the server, derived from the invite's secret. The server keeps only the
/// token's hash.
package struct InviteToken: Sendable {
    /// The 32 bytes.
    package let bytes: SecretBytes

    /// The length of a token, in bytes.
    package static let length = 32

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    /// Returns the SHA-256 of the token. The server stores it and finds the invite by it.
    package func hash() throws(SealError) -> Digest {
        try bytes.withBytes { bytes throws(SealError) in try Digest(of: bytes) }
    }
}
