/// A device in a group's roster, which the server and the laptops keep. The server lets in a device unless it
/// is revoked.
package struct RosterEntry: Hashable, Sendable {
    /// The hash of the device's public key.
    package let device: Digest
    /// Whether the device is shut out for good. A revocation always wins.
    package let isRevoked: Bool

    /// Creates an entry of a roster.
    package init(device: Digest, isRevoked: Bool) {
        self.device = device
        self.isRevoked = isRevoked
    }
}

/// The record of an epoch: its key wrapped to each of the group's devices, and its predecessor's key sealed
/// under it. Only laptops can read the body. The body is empty if the record only names an epoch, for example
/// the group's first. A record with a body replaces such a record.
package struct EpochRecord: Hashable, Sendable {
    /// The epoch that the record describes. Its id is made from its key, so only a device with the key can
    /// check that they match.
    package let epoch: EpochID
    /// The epoch before it, or nil if the record doesn't say, as for the group's first epoch.
    package let predecessor: EpochID?
    /// The part that only laptops can read (docs/protocol.md, "Epoch records"), at most `Limits.epochBody`
    /// bytes. It is empty if the record only names the epoch.
    package let body: [UInt8]

    /// Creates a record as a laptop made it or as it was stored.
    ///
    /// - Parameters:
    ///   - predecessor: The epoch before it, or nil if the record doesn't say.
    ///   - body: The sealed part, or empty if the record only names the epoch.
    package init(epoch: EpochID, predecessor: EpochID?, body: [UInt8]) {
        self.epoch = epoch
        self.predecessor = predecessor
        self.body = body
    }

    /// Creates a record that only names an epoch.
    package init(naming epoch: EpochID) { self.init(epoch: epoch, predecessor: nil, body: []) }
}
