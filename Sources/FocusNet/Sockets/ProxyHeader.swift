/// The header that a proxy sends before its client's bytes: it names the client of the connection. Version 2
/// of the PROXY protocol (<https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>, section 2.2).
enum ProxyHeader {
    /// The proxy's own connection, such as a health check, or a connection with a client that the proxy
    /// doesn't know.
    case own
    /// A connection of a client that reached the proxy from this address.
    case client(SocketAddress)

    /// The number of bytes at the start of a header, which include its total length.
    static let startLength = 16

    /// The greatest length of a header, in bytes. The optional fields after the addresses take a few hundred.
    static let longest = 2_048

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Returns the length of the whole header that begins with these `startLength` bytes. Returns nil if no
    /// header begins with them, or if it is longer than `longest`.
    static func length(fromStart start: [UInt8]) -> Int? {
        guard start.count == startLength, start.starts(with: signature) else { return nil }
        let length = startLength + (Int(start[14]) << 8 | Int(start[15]))
        return length <= longest ? length : nil
    }

    /// The header that consists of exactly these bytes, or nil if they are no header.
    init?(_ bytes: [UInt8]) {
        guard
            let length = ProxyHeader.length(fromStart: [UInt8](bytes.prefix(ProxyHeader.startLength))),
            bytes.count == length
        else { return nil }
        let rest = bytes[ProxyHeader.startLength...]
        // Byte 12 has the version, 2, and the command: 0 for the proxy's own connection, 1 for a client's.
        // Byte 13 has the address's family, 1 for IPv4 and 2 for IPv6, and the transport, 1 for TCP.
        switch (bytes[12], bytes[13]) {
        case (0x20, _): self = .own
        case (0x21, 0x00): self = .own
        case (0x21, 0x11):
            guard let client = ProxyHeader.client(in: rest, addressLength: 4) else { return nil }
            self = .client(client)
        case (0x21, 0x21):
            guard let client = ProxyHeader.client(in: rest, addressLength: 16) else { return nil }
            self = .client(client)
        default: return nil
        }
    }

    /// Returns the client's address from the fields: source address, destination address, source port,
    /// destination port.
    private static func client(in bytes: ArraySlice<UInt8>, addressLength: Int) -> SocketAddress? {
        guard bytes.count >= 2 * addressLength + 4 else { return nil }
        let address = [UInt8](bytes.prefix(addressLength))
        let port = bytes.dropFirst(2 * addressLength).prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        return SocketAddress(host: address, port: port)
    }
}
