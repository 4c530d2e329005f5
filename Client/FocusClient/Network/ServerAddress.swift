package import FocusCore
package import FocusNet

/// Where a device finds its group's server, and the key that the server has to show.
package struct ServerAddress: Hashable, Sendable {
    /// Each `HOST` or `HOST:PORT`, best first.
    package let addresses: [String]
    /// The hash of the server's key.
    package let key: Digest

    package init(addresses: [String], key: Digest) {
        self.addresses = addresses
        self.key = key
    }

    /// Where to connect, best first. Addresses that can't be read are passed over.
    package var endpoints: [Endpoint] { addresses.compactMap { Address($0)?.endpoint } }
}
