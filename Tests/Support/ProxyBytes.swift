/// The header that a proxy sends first, as in version 2 of the PROXY protocol.
package enum ProxyBytes {
    package static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + Array("QUIT\n".utf8)

    /// A header with these parts and the right length.
    package static func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }

    /// The header for a client's connection from 192.0.2.7, port 4242.
    package static let client = header(
        0x21, 0x11, [192, 0, 2, 7, 10, 0, 0, 1, 0x10, 0x92, 0x1E, 0xAD])

    /// The header for a client's connection from 2001:db8::7, with extra data after the addresses.
    package static let client6 = header(
        0x21, 0x21,
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 16)
            + [0x10, 0x92, 0x1E, 0xAD] + [0x03, 0, 4, 1, 2, 3, 4])

    /// The header of the proxy's own health check.
    package static let own = header(0x20, 0x00, [])
}
