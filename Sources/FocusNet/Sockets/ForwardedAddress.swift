import FocusSync

/// The address of a client behind an HTTP proxy, by the header `X-Forwarded-For`.
package enum ForwardedAddress {
    /// Returns the address from which a socket's connection comes: 4 bytes or 16, or none if the client has
    /// gone.
    package static func peer(of socket: Int32) -> [UInt8] {
        SocketAddress(of: socket, peer: true)?.hostBytes ?? []
    }

    /// Returns the address of a connection's client: 4 bytes or 16. Only the last address of the last header
    /// was written by the proxy itself. A client can forge all others.
    ///
    /// - Parameters:
    ///   - peer: The address from which the connection comes.
    ///   - headers: The values of all headers `X-Forwarded-For`, in their order.
    ///   - proxies: The proxies that are trusted.
    /// - Returns: `peer` if it is no proxy, or if the last entry is no address.
    package static func client(
        of peer: [UInt8], forwardedFor headers: [String], by proxies: [AddressRange]
    ) -> [UInt8] {
        let isProxy = proxies.contains { $0.contains(peer) }
        let named = isProxy ? headers.last.flatMap(lastAddress) : nil
        return (named ?? peer).unmappedAddress
    }

    /// Returns the last address in a list, which may have a port. Returns nil if the last entry has none.
    private static func lastAddress(in list: String) -> [UInt8]? {
        let entry = list.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
        let words = entry.split { $0 == " " || $0 == "\t" }
        // The zone of an address means something only on the proxy.
        guard words.count == 1, let address = Address(String(words[0])), !address.host.contains("%") else {
            return nil
        }
        return (try? SocketAddress(numeric: address.host, port: 0))?.hostBytes
    }
}
