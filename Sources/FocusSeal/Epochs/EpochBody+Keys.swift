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

extension EpochBody {
    /// The epoch's key, for the device with this private key. Whether somebody of the group made the record is another
    /// question (`isProven`).
    ///
    /// - Throws: `SealError.Code.notIncluded` where it was made without this device, `.notAuthentic` where it was
    ///   wrapped to another key, of another epoch, or altered, `.malformedKey`, `.library`.
    package func key(of place: EpochPlace, for device: AgreementKey) throws(SealError) -> EpochKey {
        let hash = try device.publicKey.hash()
        guard let wrapped = wrapped.first(where: { $0.device == hash }) else {
            throw SealError(.notIncluded, "the epoch was made without this device")
        }
        let secret = try device.secret(with: ephemeral)
        let wrapping = try EpochBody.wrappingKey(
            secret, place, ephemeral: ephemeral, device: device.publicKey)
        let plain = try wrapping.open(wrapped.key.span.bytes, associated: [EpochBody.wrapPurpose])
        return try EpochBody.key(plain, of: place.epoch)
    }

    /// The keys of the older epochs, the predecessor's first. That they open shows that the whole list of devices, and
    /// of whom the epoch was made without, is as it was made by somebody who has the epoch's key.
    ///
    /// - Throws: `SealError.Code.notAuthentic` where `key` is another epoch's, or anything was altered; `.malformedKey`,
    ///   `.library`.
    package func olderKeys(of place: EpochPlace, with key: EpochKey) throws(SealError) -> [EpochKey] {
        guard older.first == place.predecessor, key.epoch == place.epoch else {
            throw SealError(.notAuthentic, "an epoch's record is another's")
        }
        let sealing = try EpochBody.olderKey(key, place.group)
        let head = head(place)
        var keys: [EpochKey] = []
        for (epoch, sealed) in zip(older, sealedKeys) {
            let plain = try sealing.open(sealed.span.bytes, associated: [head, epoch.bytes])
            keys.append(try EpochBody.key(plain, of: epoch))
        }
        return keys
    }

    /// Whether somebody made the record who had the predecessor's key, as every laptop of the group has and no server.
    package func isProven(_ place: EpochPlace, by predecessor: EpochKey) throws(SealError) -> Bool {
        guard predecessor.epoch == place.predecessor else { return false }
        let expected = try EpochBody.proof(of: proven(place), predecessor)
        return expected.withBytes { constantTimeEqual($0, proof.span.bytes) }
    }

    /// The key in an opened text, which has to be this epoch's.
    private static func key(_ plain: [UInt8], of epoch: EpochID) throws(SealError) -> EpochKey {
        let key = try EpochKey(SecretBytes(plain))
        guard key.epoch == epoch else { throw SealError(.notAuthentic, "a key is another epoch's") }
        return key
    }
}

// MARK: - Derivations

extension EpochBody {
    static let wrapPurpose = Array("lockstep/epoch-wrap/1".utf8)
    private static let olderPurpose = Array("lockstep/epoch-older/1".utf8)
    private static let proofPurpose = Array("lockstep/epoch-proof/1".utf8)

    /// What an epoch's key is wrapped under to a device.
    static func wrappingKey(
        _ secret: SecretBytes, _ place: EpochPlace, ephemeral: PublicKey, device: PublicKey
    ) throws(SealError) -> SIVKey {
        let info = wrapPurpose + place.bytes + ephemeral.bytes + device.bytes
        return try SIVKey(HKDF.derive(secret, info: info, count: 64))
    }

    /// What older epochs' keys are sealed under.
    static func olderKey(_ key: EpochKey, _ group: GroupID) throws(SealError) -> SIVKey {
        try SIVKey(HKDF.derive(key.secret, info: olderPurpose + group.bytes, count: 64))
    }

    /// What shows that somebody with the predecessor's key has made these bytes.
    static func proof(of bytes: [UInt8], _ predecessor: EpochKey) throws(SealError) -> SecretBytes {
        let hash = try Digest(of: bytes.span.bytes)
        return try HKDF.derive(predecessor.secret, info: proofPurpose + hash.bytes, count: proofLength)
    }
}

extension EpochID {
    /// The 8 bytes, big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(rawValue)
        return bytes
    }
}
