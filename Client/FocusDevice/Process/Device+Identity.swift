import FocusCore
package import FocusSeal
import FocusStore

extension Device {
    /// Returns the key in the identity file, or nil if there is none and the laptop may make one.
    ///
    /// - Throws: `DeviceFailure.key` if the file doesn't hold the key by which the group knows the laptop.
    ///   `SealError` if the file can't be used, or `StoreError`.
    package func identity() throws -> DeviceIdentity? {
        let identity = try IdentityFile(path: home.identity).load()
        guard try store.group() != nil, let known = try store.deviceKey() else { return identity }
        guard let identity else { throw DeviceFailure.key(.gone, path: home.identity) }
        guard identity.keyHash == known else {
            throw DeviceFailure.key(.another, path: home.identity)
        }
        return identity
    }
}
