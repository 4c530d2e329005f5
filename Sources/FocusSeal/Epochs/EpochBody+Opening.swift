package import FocusCore

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
