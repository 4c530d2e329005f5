package import FocusCore

/// What makes an invite worth something: 16 random bytes, from which the token that the server checks and the
/// key that the group's key is wrapped under are derived (docs/protocol.md, "Invites").
package struct InviteSecret: Hashable, Sendable {
    let bytes: SecretBytes

    /// The length of a secret, in bytes.
    package static let length = 16

    /// The secret of these bytes; nil where there are not exactly 16.
    package init?(_ bytes: SecretBytes) {
        guard bytes.count == InviteSecret.length else { return nil }
        self.bytes = bytes
    }

    private init(random bytes: SecretBytes) { self.bytes = bytes }

    /// A new secret.
    package static func random() throws(SealError) -> InviteSecret {
        InviteSecret(random: try .random(count: length))
    }

    /// What a device shows the server to enrol.
    package func token() throws(SealError) -> InviteToken {
        InviteToken(try HKDF.derive(bytes, info: Array("lockstep/token/1".utf8), count: InviteToken.length))
    }

    /// Wraps a group's key, for the server to keep until the invite is used.
    package func wrap(_ bundle: GroupBundle) throws(SealError) -> [UInt8] {
        let plain = bundle.group.bytes + bundle.key.secret.exposed()
        return try wrappingKey().seal(plain.span.bytes, associated: [InviteSecret.wrappingPurpose])
    }

    /// Unwraps a group's key.
    ///
    /// - Throws: `SealError.Code.notAuthentic` where another invite's secret wrapped it, or it was altered.
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
        try SIVKey(HKDF.derive(bytes, info: InviteSecret.wrappingPurpose, count: 64))
    }

    package static func == (left: InviteSecret, right: InviteSecret) -> Bool { left.bytes == right.bytes }

    /// Hashes nothing: a secret must not show in where a table keeps it.
    package func hash(into hasher: inout Hasher) {}
}

/// What a device needs to read a group's log: its id, and the key of its newest epoch.
package struct GroupBundle: Hashable, Sendable {
    /// The group that the log is of.
    package let group: GroupID
    /// The key of the epoch that was the newest as the invite was made.
    package let key: EpochKey

    /// What an invite to a group hands on, wrapped.
    package init(group: GroupID, key: EpochKey) {
        self.group = group
        self.key = key
    }
}

/// What an invite's secret shows the server. The server keeps the token's hash alone.
package struct InviteToken: Sendable {
    /// The 32 bytes.
    package let bytes: SecretBytes

    /// The length of a token, in bytes.
    package static let length = 32

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    /// What the server keeps, and looks the invite up by: SHA-256 of the token.
    package func hash() throws(SealError) -> Digest {
        try bytes.withBytes { bytes throws(SealError) in try Digest(of: bytes) }
    }
}
