package import FocusCore
package import FocusNet

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
