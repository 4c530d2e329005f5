/// What a proxy sends first, as the PROXY protocol's version 2 has it.
package enum ProxyBytes {
    package static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + Array("QUIT\n".utf8)

    /// A header of these parts, whose length is right.
    package static func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }

    /// The header of a client's connection from 192.0.2.7, port 4,242.
    package static let client = header(
        0x21, 0x11, [192, 0, 2, 7, 10, 0, 0, 1, 0x10, 0x92, 0x1E, 0xAD])

    /// The same of one from 2001:db8::7, with something behind the addresses.
    package static let client6 = header(
        0x21, 0x21,
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 16)
            + [0x10, 0x92, 0x1E, 0xAD] + [0x03, 0, 4, 1, 2, 3, 4])

    /// That of a look whether the server is there.
    package static let own = header(0x20, 0x00, [])
}
