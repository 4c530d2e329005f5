package import FocusCore

extension EpochBody {
    /// Whom a new epoch is made for and without, and which keys it hands on.
    package struct Making: Hashable, Sendable {
        /// The group that the epoch is for, which its record is bound to.
        package let group: GroupID
        /// The epoch that the new one follows.
        package let predecessor: EpochKey
        /// Other epochs' keys that can't be come by through the predecessor's record.
        package let beside: [EpochKey]
        /// The devices that may read on.
        package let devices: [Digest: PublicKey]
        /// The devices that may not.
        package let revoked: Set<Digest>

        /// What a record is made of. What goes beyond `deviceLimit` and `olderLimit` is left out as it is made.
        package init(
            group: GroupID, predecessor: EpochKey, beside: [EpochKey], devices: [Digest: PublicKey],
            revoked: Set<Digest>
        ) {
            self.group = group
            self.predecessor = predecessor
            self.beside = beside
            self.devices = devices
            self.revoked = revoked
        }
    }

    /// A new epoch: its key, and the body of its record. Where there are more devices than a record may name, those
    /// with the greatest hashes are left out.
    ///
    /// - Parameter random: draws so many secret bytes.
    /// - Throws: `SealError.Code.malformedKey` where a device's key is no point on the curve, `.library`.
    package static func make(
        _ making: Making, _ random: (Int) throws(SealError) -> SecretBytes
    ) throws(SealError) -> (key: EpochKey, body: EpochBody) {
        let key = try EpochKey(random(EpochKey.length))
        let place = EpochPlace(
            group: making.group, epoch: key.epoch, predecessor: making.predecessor.epoch)
        let ephemeral = try AgreementKey.random(random)
        var writer = ByteWriter()
        writer.byte(form)
        writer.raw(ephemeral.publicKey.bytes)
        let devices = making.devices.sorted { $0.key.precedes($1.key) }.prefix(deviceLimit)
        writer.count(devices.count)
        for (hash, device) in devices {
            let wrapping = try wrappingKey(
                ephemeral.secret(with: device), place, ephemeral: ephemeral.publicKey, device: device)
            writer.raw(hash.bytes)
            writer.raw(
                try key.secret.withBytes { bytes throws(SealError) in
                    try wrapping.seal(bytes, associated: [wrapPurpose])
                })
        }
        let revoked = making.revoked.sorted { $0.precedes($1) }.prefix(deviceLimit)
        writer.count(revoked.count)
        for hash in revoked { writer.raw(hash.bytes) }
        let older = Array(([making.predecessor] + making.beside).prefix(olderLimit))
        writer.count(older.count)
        for key in older { writer.fixed(key.epoch.rawValue) }
        let head = place.bytes + writer.bytes
        let sealing = try olderKey(key, making.group)
        for key in older {
            writer.raw(
                try key.secret.withBytes { bytes throws(SealError) in
                    try sealing.seal(bytes, associated: [head, key.epoch.bytes])
                })
        }
        writer.raw(try proof(of: place.bytes + writer.bytes, making.predecessor).exposed())
        return (key, try EpochBody(writer.bytes))
    }
}

extension ByteWriter {
    fileprivate mutating func count(_ count: Int) { fixed(UInt16(clamping: count)) }
}
