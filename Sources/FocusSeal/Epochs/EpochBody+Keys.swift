package import FocusCore

extension EpochBody {
    /// The inputs for making a new epoch: the devices that get its key, the revoked devices, and the older
    /// keys to pass on.
    package struct Inputs: Hashable, Sendable {
        /// The group of the epoch, to which the record is bound.
        package let group: GroupID
        /// The key of the epoch that the new one follows.
        package let predecessor: EpochKey
        /// Other epochs' keys that can't be obtained through the predecessor's record.
        package let otherKeys: [EpochKey]
        /// The devices that get the new epoch's key, with their public keys.
        package let devices: [Digest: PublicKey]
        /// The revoked devices, which don't get the new epoch's key.
        package let revoked: Set<Digest>

        /// The inputs for a new epoch. `make` leaves out devices beyond `deviceLimit` and older keys beyond
        /// `olderLimit`.
        package init(
            group: GroupID, predecessor: EpochKey, otherKeys: [EpochKey], devices: [Digest: PublicKey],
            revoked: Set<Digest>
        ) {
            self.group = group
            self.predecessor = predecessor
            self.otherKeys = otherKeys
            self.devices = devices
            self.revoked = revoked
        }
    }

    /// Makes a new epoch: its key and the body of its record. If there are more devices than a record may
    /// name, the devices with the greatest hashes are left out.
    ///
    /// - Parameter random: Returns the given number of random secret bytes.
    /// - Throws: `SealError.Code.malformedKey` if a device's key is no point on the curve, `.library` if
    ///   OpenSSL fails.
    package static func make(
        _ making: Inputs, _ random: (Int) throws(SealError) -> SecretBytes
    ) throws(SealError) -> (key: EpochKey, body: EpochBody) {
        let key = try EpochKey(random(EpochKey.length))
        let id = EpochRecordID(group: making.group, epoch: key.epoch, predecessor: making.predecessor.epoch)
        let ephemeral = try AgreementKey.random(random)
        var writer = ByteWriter()
        writer.byte(formatByte)
        writer.raw(ephemeral.publicKey.bytes)
        let devices = making.devices.sorted { $0.key.precedes($1.key) }.prefix(deviceLimit)
        writer.count(devices.count)
        for (hash, device) in devices {
            let wrapping = try wrappingKey(
                ephemeral.secret(with: device), id, ephemeral: ephemeral.publicKey, device: device)
            writer.raw(hash.bytes)
            writer.raw(
                try key.secret.withBytes { bytes throws(SealError) in
                    try wrapping.seal(bytes, associated: [wrapPurpose])
                })
        }
        let revoked = making.revoked.sorted { $0.precedes($1) }.prefix(deviceLimit)
        writer.count(revoked.count)
        for hash in revoked { writer.raw(hash.bytes) }
        let older = Array(([making.predecessor] + making.otherKeys).prefix(olderLimit))
        writer.count(older.count)
        for key in older { writer.fixed(key.epoch.rawValue) }
        let head = id.bytes + writer.bytes
        let sealing = try keyForOlderKeys(key, making.group)
        for key in older {
            writer.raw(
                try key.secret.withBytes { bytes throws(SealError) in
                    try sealing.seal(bytes, associated: [head, key.epoch.bytes])
                })
        }
        writer.raw(try proof(of: id.bytes + writer.bytes, making.predecessor).exposed())
        return (key, try EpochBody(writer.bytes))
    }
}

extension ByteWriter {
    fileprivate mutating func count(_ count: Int) { fixed(UInt16(clamping: count)) }
}

extension EpochBody {
    /// Returns the epoch's key, which the record has wrapped to this device. It doesn't check that somebody
    /// of the group made the record; `isProven` does.
    ///
    /// - Throws: `SealError.Code.notIncluded` if the epoch was made without this device. `.notAuthentic` if
    ///   the key was wrapped to another key, belongs to another epoch, or was altered. `.malformedKey`,
    ///   `.library`.
    package func key(of id: EpochRecordID, for device: AgreementKey) throws(SealError) -> EpochKey {
        let hash = try device.publicKey.hash()
        guard let wrapped = wrapped.first(where: { $0.device == hash }) else {
            throw SealError(.notIncluded, "the epoch was made without this device")
        }
        let secret = try device.secret(with: ephemeral)
        let wrapping = try EpochBody.wrappingKey(
            secret, id, ephemeral: ephemeral, device: device.publicKey)
        let plain = try wrapping.open(wrapped.key.span.bytes, associated: [EpochBody.wrapPurpose])
        return try EpochBody.key(plain, of: id.epoch)
    }

    /// Returns the keys of the older epochs, the predecessor's first. If they open, somebody with the epoch's
    /// key has made the lists of devices and of revoked devices, and nobody has altered these lists.
    ///
    /// - Throws: `SealError.Code.notAuthentic` if `key` is another epoch's or anything was altered;
    ///   `.malformedKey`, `.library`.
    package func olderKeys(of id: EpochRecordID, with key: EpochKey) throws(SealError) -> [EpochKey] {
        guard older.first == id.predecessor, key.epoch == id.epoch else {
            throw SealError(.notAuthentic, "an epoch's record is another's")
        }
        let sealing = try EpochBody.keyForOlderKeys(key, id.group)
        let head = associatedData(id)
        var keys: [EpochKey] = []
        for (epoch, sealed) in zip(older, sealedKeys) {
            let plain = try sealing.open(sealed.span.bytes, associated: [head, epoch.bytes])
            keys.append(try EpochBody.key(plain, of: epoch))
        }
        return keys
    }

    /// Whether the author of the record had the predecessor's key. Every laptop of the group has it, and no
    /// server does.
    package func isProven(_ id: EpochRecordID, by predecessor: EpochKey) throws(SealError) -> Bool {
        guard predecessor.epoch == id.predecessor else { return false }
        let expected = try EpochBody.proof(of: provenBytes(id), predecessor)
        return expected.withBytes { constantTimeEqual($0, proof.span.bytes) }
    }

    /// Returns the key in decrypted bytes. Throws `.notAuthentic` if it is another epoch's key.
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

    /// Returns the key under which an epoch's key is wrapped to a device.
    static func wrappingKey(
        _ secret: SecretBytes, _ id: EpochRecordID, ephemeral: PublicKey, device: PublicKey
    ) throws(SealError) -> SIVKey {
        let info = wrapPurpose + id.bytes + ephemeral.bytes + device.bytes
        return try SIVKey(HKDF.derive(secret, info: info, count: SIVKey.keyLength))
    }

    /// Returns the key that seals older epochs' keys in an epoch's record. It is derived from `key`, the
    /// epoch's own key.
    static func keyForOlderKeys(_ key: EpochKey, _ group: GroupID) throws(SealError) -> SIVKey {
        try SIVKey(HKDF.derive(key.secret, info: olderPurpose + group.bytes, count: SIVKey.keyLength))
    }

    /// Returns the proof that somebody with the predecessor's key made these bytes.
    static func proof(of bytes: [UInt8], _ predecessor: EpochKey) throws(SealError) -> SecretBytes {
        let hash = try Digest(of: bytes.span.bytes)
        return try HKDF.derive(predecessor.secret, info: proofPurpose + hash.bytes, count: proofLength)
    }
}

extension EpochID {
    /// The epoch's id as 8 bytes, big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(rawValue)
        return bytes
    }
}
