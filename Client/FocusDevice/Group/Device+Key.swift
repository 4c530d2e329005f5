package import FocusCore
package import FocusSeal
package import FocusStore

// The laptop's own key, which it uses for one group only. If it is revoked there, or leaves, other groups
// don't know it by that key.
extension Device {
    /// Records the device's public key and the key's hash, the device identity.
    package func record(_ secrets: DeviceSecrets) throws(StoreError) {
        if try store.deviceKey() != secrets.hash { try store.setDeviceKey(secrets.hash) }
        let key = secrets.key.publicKey.bytes
        if try store.value(.publicKey) != key { try store.setValue(key, for: .publicKey) }
    }

    /// Puts the laptop's key away before the laptop asks a server to let it in, so that the laptop makes a
    /// fresh key. Keeps the key if the last attempt had the same purpose, because that attempt's answer may
    /// have been lost. Does nothing in a group.
    ///
    /// - Parameter purpose: Identifies the attempt: the hash of an invite's token, or the id of a new group.
    package func renewKey(for purpose: [UInt8]) throws(LocalFailure) {
        let (group, former) = try LocalFailure.converting { () throws(StoreError) in
            (try store.group(), try store.value(.keyPurpose))
        }
        guard group == nil, former != purpose else { return }
        if platform.hasKey(home) {
            do throws(DeviceFailure) {
                try platform.archiveKey(home, makeFolder(forCopyNamed: "key"))
            } catch {
                throw .device(error)
            }
        }
        try LocalFailure.converting { () throws(StoreError) in
            try store.atomically { () throws(StoreError) in
                for key in StoredValueKey.aboutDeviceKey { try store.setValue(nil, for: key) }
                try store.setValue(purpose, for: .keyPurpose)
            }
        }
    }
}

extension StoredValueKey {
    /// The purpose that the laptop's key was made for: the hash of an invite's token, or the id of a group
    /// that the laptop brings to a server.
    static let keyPurpose = StoredValueKey(rawValue: "key-purpose")

    /// The keys of all values about the laptop's key.
    static let aboutDeviceKey = [deviceKey, publicKey, keyPurpose]
}

/// A device's secret key and its source of randomness: it authenticates with the key, and opens new epochs'
/// keys.
package struct DeviceSecrets {
    /// The device's key pair. The server and the group know the device by its public key.
    package let key: AgreementKey
    /// The hash of the public key: the device identity.
    package let hash: Digest
    /// Returns this number of random bytes.
    package let random: (Int) throws(SealError) -> SecretBytes

    /// The secrets of a device with this key.
    ///
    /// - Parameter random: Returns the given number of random bytes (`Platform.random`).
    package init(
        _ key: AgreementKey, random: @escaping (Int) throws(SealError) -> SecretBytes
    ) throws(SealError) {
        self.key = key
        self.random = random
        hash = try key.publicKey.hash()
    }
}
