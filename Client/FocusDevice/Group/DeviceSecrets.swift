package import FocusCore
package import FocusSeal

/// What a device proves itself with and opens new epochs' keys with, and where it gets new secrets from.
package struct DeviceSecrets {
    /// The device's own pair of keys, whose public one the server and the group know it by.
    package let key: AgreementKey
    /// The hash of its public key: who it is.
    package let hash: Digest
    /// Draws so many random bytes.
    package let random: (Int) throws(SealError) -> SecretBytes

    /// The secrets of a device with this key.
    ///
    /// - Parameter random: draws so many random bytes; the system's where nothing is said.
    package init(
        _ key: AgreementKey,
        random: @escaping (Int) throws(SealError) -> SecretBytes = { (count) throws(SealError) in
            try SecretBytes.random(count: count)
        }
    ) throws(SealError) {
        self.key = key
        self.random = random
        hash = try key.publicKey.hash()
    }
}
