/// Where a client comes from, as far as one user can be told from another: an IPv4 address, or the 64 bits of an IPv6
/// address that name a network, within which everybody may choose addresses.
package struct AddressBlock: Hashable, Sendable {
    private enum Kind: Hashable {
        case four, six, local
    }

    private let kind: Kind
    private let bits: UInt64

    private init(_ kind: Kind, _ bytes: some Sequence<UInt8>) {
        self.kind = kind
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Everybody on the other side of a local socket.
    package static let local = AddressBlock(.local, [])

    /// The block that holds an address of 4 or 16 bytes; any other is local. An IPv4 address that is written as IPv6,
    /// as a server that listens at `::` sees it, is that IPv4 address (RFC 4291 §2.5.5.2).
    package init(address: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch address.count {
        case 4: self.init(.four, address)
        case 16 where address.starts(with: mapped): self.init(.four, address.suffix(4))
        case 16: self.init(.six, address.prefix(8))
        default: self = .local
        }
    }
}
