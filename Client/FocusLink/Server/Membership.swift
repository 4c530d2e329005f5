package import FocusCore
package import FocusDevice
package import FocusNet
package import FocusSeal
import FocusStore

/// The group of a device, and the server through which it syncs with the others.
package struct Membership: Hashable {
    /// The group of the log.
    package let group: GroupID
    /// The address of the server, and the keys that it may show.
    package let server: ServerAddress

    /// Reads the membership from the device's store; nil if it is in no group, or if its group has no server.
    package init?(_ device: Device) throws {
        let store = device.store
        let found = try store.reading { (try store.group(), try store.text(.servers), try store.serverPin()) }
        guard case (let group?, let addresses?, let pin?) = found else { return nil }
        self.group = group
        server = ServerAddress(
            addresses: addresses.split(separator: "\n").map(String.init), pin: pin)
    }

    /// Whether this has the same group and addresses as `former`, and a server's key that `former` trusts too.
    /// A rekey of the server changes only the pin.
    package func continues(_ former: Membership?) -> Bool {
        guard let former else { return false }
        return group == former.group && server.addresses == former.server.addresses
            && former.server.pin.keys.contains(server.pin.key)
    }

    /// Makes the invite to the group from its secret. The server knows the secret's token.
    package func invite(_ secret: InviteSecret) throws -> Invite {
        try Invite(
            kind: .joinGroup(GroupMark(of: group)), addresses: server.addresses, server: server.pin,
            secret: secret)
    }
}

/// The addresses of a group's server, and the keys that it may show.
package struct ServerAddress: Hashable, Sendable {
    /// The addresses, each `HOST` or `HOST:PORT`, best first.
    package let addresses: [String]
    /// The keys that the server may show. If it shows another one, the device doesn't talk to it.
    package let pin: ServerPin

    /// Makes the address from an invite or from the device's store.
    package init(addresses: [String], pin: ServerPin) {
        self.addresses = addresses
        self.pin = pin
    }

    /// The endpoints to connect to, best first, without addresses that can't be parsed.
    package var endpoints: [Endpoint] { addresses.compactMap { Address($0)?.endpoint } }
}
