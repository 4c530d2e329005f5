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

    /// The port of an address that names none.
    package static let defaultPort: UInt16 = 7853

    /// Where to connect, best first. Addresses that can't be read are passed over.
    package var endpoints: [Endpoint] { addresses.compactMap(ServerAddress.endpoint) }

    /// The place that `HOST`, `HOST:PORT`, `[IPv6]` or `[IPv6]:PORT` names; nil where the text is none of these.
    package static func endpoint(_ text: String) -> Endpoint? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            return endpoint(host: host, rest: text[text.index(after: end)...])
        }
        guard let colon = text.firstIndex(of: ":") else { return endpoint(host: text[...], rest: "") }
        // More than one colon is an IPv6 address without a port.
        guard text[text.index(after: colon)...].firstIndex(of: ":") == nil else {
            return endpoint(host: text[...], rest: "")
        }
        return endpoint(host: text[..<colon], rest: text[colon...])
    }

    private static func endpoint(host: Substring, rest: Substring) -> Endpoint? {
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return .tcp(host: String(host), port: defaultPort) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return .tcp(host: String(host), port: port)
    }
}
