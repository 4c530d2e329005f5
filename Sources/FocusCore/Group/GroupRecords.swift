/// A device of the group, as the server and the laptops list it: whom the server lets in.
package struct RosterEntry: Hashable, Sendable {
    /// The hash of the device's public key.
    package let device: Digest
    /// Whether the device is kept out for ever. A revocation always wins.
    package let isRevoked: Bool

    /// An entry of a roster.
    package init(device: Digest, isRevoked: Bool) {
        self.device = device
        self.isRevoked = isRevoked
    }
}

/// An epoch's record: its key wrapped to each of the group's devices, and its predecessor's sealed under it.
/// Only laptops can read the body; it is empty where an epoch is only named, as the group's first one, and makes way
/// for one that isn't.
package struct EpochRecord: Hashable, Sendable {
    /// The epoch that the record is of. Its id comes from its key, so only who has the key can tell that they match.
    package let epoch: EpochID
    /// The epoch before it; nil where that isn't said, as for the group's first.
    package let predecessor: EpochID?
    /// What only laptops can read (docs/protocol.md, "Epoch records"): at most `Limits.epochBody` bytes; empty where
    /// the epoch is only named.
    package let body: [UInt8]

    /// A record as a laptop made it or as it was kept.
    ///
    /// - Parameters:
    ///   - predecessor: the epoch that it follows; nil where that isn't said.
    ///   - body: the sealed part; empty where the epoch is only named.
    package init(epoch: EpochID, predecessor: EpochID?, body: [UInt8]) {
        self.epoch = epoch
        self.predecessor = predecessor
        self.body = body
    }

    /// A record that only names an epoch.
    package init(naming epoch: EpochID) { self.init(epoch: epoch, predecessor: nil, body: []) }
}
