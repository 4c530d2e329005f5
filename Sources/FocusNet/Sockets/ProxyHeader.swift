/// What a proxy sends before anything that its client sends: whose connection it passes on. Version 2 of the PROXY protocol
/// (<https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>, section 2.2).
enum ProxyHeader {
    /// The proxy's own connection, as when it looks whether the server is there, or one of which it doesn't know whose it is.
    case own
    /// A client's, that came to the proxy from this address.
    case client(SocketAddress)

    /// A header begins with so many bytes, which say how long it is.
    static let startLength = 16

    /// A longer one isn't taken: what may come behind the addresses is a few hundred bytes.
    static let longest = 2_048

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// How long the whole header is that begins with these bytes, `startLength` of them; nil where none does, or it is too long.
    static func length(ofOneThatBegins start: [UInt8]) -> Int? {
        guard start.count == startLength, start.starts(with: signature) else { return nil }
        let length = startLength + Int(start[14]) << 8 + Int(start[15])
        return length <= longest ? length : nil
    }

    /// The header that all of these bytes are; nil where they are none.
    init?(_ bytes: [UInt8]) {
        guard
            let length = ProxyHeader.length(ofOneThatBegins: [UInt8](bytes.prefix(ProxyHeader.startLength))),
            bytes.count == length
        else { return nil }
        let rest = bytes[ProxyHeader.startLength...]
        // The version and what it is for; then the address's family and the transport.
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

    /// Where the client comes from: of source and destination address, source and destination port, in this order.
    private static func client(in bytes: ArraySlice<UInt8>, addressLength: Int) -> SocketAddress? {
        guard bytes.count >= 2 * addressLength + 4 else { return nil }
        let address = [UInt8](bytes.prefix(addressLength))
        let port = bytes.dropFirst(2 * addressLength).prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        return SocketAddress(host: address, port: port)
    }
}
