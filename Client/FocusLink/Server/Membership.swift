package import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusStore
package import FocusSync

/// The group of a device, and the server through which it syncs with the others.
package struct Membership: Hashable {
    /// The group of the log.
    package let group: GroupID
    /// The address of the server, and the keys that it may show.
    package let server: ServerAddress
    /// The page for browsers that the server has announced; nil if there is none.
    package let page: WebAddress?

    /// Reads the membership from the device's store; nil if it is in no group, or if its group has no server.
    package init?(_ device: Device) throws(StoreError) {
        let store = device.store
        let found = try store.reading { () throws(StoreError) in
            (
                try store.group(), try store.text(.servers), try store.serverPin(),
                try store.lines(.fallbackServers)
            )
        }
        guard case (let group?, let addresses?, let pin?, let fallback) = found else { return nil }
        self.group = group
        let listed = addresses.split(separator: "\n").map(String.init)
        page = listed.compactMap { WebAddress($0) }.first
        server = ServerAddress(
            addresses: listed.filter { WebAddress($0) == nil }, fallback: fallback, pin: pin)
    }

    /// Whether this has the same group and addresses as `former`, and a server's key that `former` trusts too.
    /// A rekey of the server changes only the pin.
    package func continues(_ former: Membership?) -> Bool {
        isAtServer(of: former) && server.addresses == former?.server.addresses
    }

    /// Whether this has the same group as `former`, and a server's key that `former` trusts too. The server may have
    /// announced other addresses.
    package func isAtServer(of former: Membership?) -> Bool {
        guard let former else { return false }
        return group == former.group && former.server.pin.keys.contains(server.pin.key)
    }

    /// Whether an invite leads to this server, at addresses that the laptop knows.
    package func isAtServer(of invite: Invite) -> Bool {
        let known = server.addresses + server.fallback
        return server.pin.keys.contains(invite.server.key)
            && invite.addresses.allSatisfy { known.contains($0) }
    }

    /// Makes the invite to the group from its secret. The server knows the secret's token.
    package func invite(_ secret: InviteSecret) throws(SealError) -> Invite {
        try Invite(
            kind: .joinGroup(GroupMark(of: group)), addresses: server.addresses, server: server.pin,
            secret: secret)
    }
}

/// The addresses of a group's server, and the keys that it may show.
package struct ServerAddress: Hashable, Sendable {
    /// The addresses, each `HOST` or `HOST:PORT`, best first.
    package let addresses: [String]
    /// Addresses that no announcement takes away (`learnServer`). They are tried after the others.
    package let fallback: [String]
    /// The keys that the server may show. If it shows another one, the device doesn't talk to it.
    package let pin: ServerPin

    /// Makes the address from an invite or from the device's store.
    package init(addresses: [String], fallback: [String] = [], pin: ServerPin) {
        self.addresses = addresses
        self.fallback = fallback
        self.pin = pin
    }

    /// All addresses in the order in which they are tried, without addresses that can't be parsed.
    package var parsed: [Address] {
        (addresses + fallback.filter { !addresses.contains($0) }).compactMap { Address($0) }
    }
}

extension DeviceStore {
    /// Stores what a welcome says of the server: the key that it has, the next key that it announces, and the
    /// addresses of the server and of its page. Does nothing if the store has a newer pin, from another process.
    ///
    /// - Parameters:
    ///   - key: The key that the server proved to hold. So a false address can only lead to a server that is
    ///     refused.
    ///   - peer: The endpoint at which it did, in words. Its address becomes the first fallback. There is no
    ///     other way for announced ones, so false lists push out no address that led to the server.
    package func learnServer(from welcome: Welcome, showing key: Digest, at peer: String) throws(StoreError) {
        try atomically { () throws(StoreError) in
            guard let pin = try serverPin(), pin.keys.contains(key) else { return }
            let learnt = pin.welcomed(by: key, announcing: welcome.nextServerKey)
            if learnt != pin { try setServerPin(learnt) }
            let (present, fallback) = (try lines(.servers), try lines(.fallbackServers))
            let proved = (present + fallback).first { Address($0)?.textWithPort == peer }
            if let proved, proved != fallback.first {
                let kept = ([proved] + fallback.filter { $0 != proved }).prefix(Limits.addresses)
                try setText(kept.joined(separator: "\n"), for: .fallbackServers)
            }
            let readable = welcome.addresses.filter { address in
                Address(address).map { $0.port != 0 } ?? false
            }
            let addresses = readable + Array(welcome.addresses.filter { WebAddress($0) != nil }.prefix(1))
            guard !readable.isEmpty, addresses != present else { return }
            try setText(addresses.joined(separator: "\n"), for: .servers)
        }
    }

    /// Returns the lines of a value; none if there is no value.
    fileprivate func lines(_ key: StoredValueKey) throws(StoreError) -> [String] {
        try text(key)?.split(separator: "\n").map(String.init) ?? []
    }
}
