package import FocusCore
package import FocusSeal
import FocusStore

/// The group that a device is in, and the server where it meets the others.
package struct Membership: Hashable {
    package let group: GroupID
    package let server: ServerAddress

    /// What the device's store says; nil where it is in no group, or its group has no server.
    package init?(_ device: Device) throws {
        guard let group = try device.store.group(), let addresses = try device.store.text(.servers),
            let bytes = try device.store.value(.serverKey), let key = Digest(bytes: bytes)
        else { return nil }
        self.group = group
        server = ServerAddress(
            addresses: addresses.split(separator: "\n").map(String.init), key: key)
    }
    /// The invite to the group whose secret was left with the server.
    package func invite(_ secret: InviteSecret) throws -> Invite {
        try Invite(kind: .joinGroup, addresses: server.addresses, server: server.key, secret: secret)
    }
}
