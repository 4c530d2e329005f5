import FocusCore
import FocusStore

/// The group that a device is in, and the server where it meets the others.
struct Membership: Hashable {
    let group: GroupID
    let server: ServerAddress

    /// What the device's store says; nil where it is in no group, or its group has no server.
    init?(_ device: Device) throws {
        guard let group = try device.store.group(), let addresses = try device.store.text(.servers),
            let bytes = try device.store.value(.serverKey), let key = Digest(bytes: bytes)
        else { return nil }
        self.group = group
        server = ServerAddress(
            addresses: addresses.split(separator: "\n").map(String.init), key: key)
    }
}
