package import FocusCore
package import FocusSeal
import FocusStore
import SystemKit

// The laptop's own key, which belongs to one group for good: whoever was shut out there, or made an invite and left,
// isn't known by it anywhere else.
extension Device {
    /// Sees to it that the laptop, where it is in no group, asks to be let in by a key that nobody has seen, but those
    /// whom it asked for the same before: their answer may have been lost.
    ///
    /// - Parameter purpose: Tells what it asks for from everything else that it may ask for.
    package func takeKey(for purpose: [UInt8]) throws {
        guard try store.group() == nil, try store.value(.keyPurpose) != purpose else { return }
        if access(home.identity, F_OK) == 0 { try putKeyAway(to: makeFolder(forCopyNamed: "key")) }
        try store.atomically {
            for key in ProfileKey.ofKey { try store.setValue(nil, for: key) }
            try store.setValue(purpose, for: .keyPurpose)
        }
    }

    /// The key in the laptop's file; nil where there is none, and the laptop may make one.
    ///
    /// - Throws: `DeviceFailure.key` where the laptop's group knows it by a key that isn't there; `SealError` where the
    ///   file can't be used, `StoreError`.
    package func identity() throws -> DeviceIdentity? {
        let identity = try IdentityFile(path: home.identity).load()
        guard try store.group() != nil, let known = try store.deviceKey() else { return identity }
        guard let identity else { throw DeviceFailure.key(.gone, path: home.identity) }
        guard identity.keyHash == known else {
            throw DeviceFailure.key(.another, path: home.identity)
        }
        return identity
    }

    /// Puts the laptop's key into the folder of a copy, so that it makes another one when it needs one.
    func putKeyAway(to copy: Home) throws(DeviceFailure) {
        guard rename(home.identity, copy.identity) == 0 || errno == ENOENT else {
            throw .system(SystemError("\(home.identity) can't be moved to \(copy.data)"))
        }
    }
}

extension ProfileKey {
    /// What the laptop's key was made for: the hash of an invite's token, or the id of a group that is brought.
    static let keyPurpose = ProfileKey(rawValue: "key-purpose")

    /// What is kept of the laptop's key.
    static let ofKey = [deviceKey, publicKey, keyPurpose]
}

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
