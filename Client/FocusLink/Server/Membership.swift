package import FocusCore
package import FocusDevice
package import FocusNet
package import FocusSeal
import FocusStore

/// The group that a device is in, and the server where it meets the others.
package struct Membership: Hashable {
    /// The group that the log belongs to.
    package let group: GroupID
    /// Where the server is, and which keys it may show.
    package let server: ServerAddress

    /// What the device's store says; nil where it is in no group, or its group has no server.
    package init?(_ device: Device) throws {
        let store = device.store
        let found = try store.reading { (try store.group(), try store.text(.servers), try store.serverPin()) }
        guard case (let group?, let addresses?, let pin?) = found else { return nil }
        self.group = group
        server = ServerAddress(
            addresses: addresses.split(separator: "\n").map(String.init), pin: pin)
    }

    /// Whether this is the same membership as before, of which only more is known: the server has announced another
    /// key, or shows the one that it announced.
    package func continues(_ former: Membership?) -> Bool {
        guard let former else { return false }
        return group == former.group && server.addresses == former.server.addresses
            && former.server.pin.keys.contains(server.pin.key)
    }

    /// The invite to the group whose secret was left with the server.
    package func invite(_ secret: InviteSecret) throws -> Invite {
        try Invite(
            kind: .joinGroup(GroupMark(of: group)), addresses: server.addresses, server: server.pin,
            secret: secret)
    }
}

/// Where a device finds its group's server, and the keys of which the server has to show one.
package struct ServerAddress: Hashable, Sendable {
    /// Each `HOST` or `HOST:PORT`, best first.
    package let addresses: [String]
    /// The keys that the server may show. With another one it isn't spoken to.
    package let pin: ServerPin

    /// Where an invite, or the device's store, says that the server is.
    package init(addresses: [String], pin: ServerPin) {
        self.addresses = addresses
        self.pin = pin
    }

    /// Where to connect, best first. Addresses that can't be read are passed over.
    package var endpoints: [Endpoint] { addresses.compactMap { Address($0)?.endpoint } }
}
