/// A range of IP addresses that begin with the same bits: one address or a network, written `10.0.0.7` or
/// `10.0.0.0/24`.
package struct AddressRange: Hashable, Sendable {
    /// The first address: 4 bytes or 16.
    private let first: [UInt8]
    /// The number of leading bits that all addresses share.
    private let bits: Int
    /// The range in its written form.
    package let text: String

    /// Parses a range. Returns nil if the text has no numeric address, or more bits than an address has. Also
    /// nil if a network's address has bits set after the shared ones, because that is usually a mistake. A
    /// range of IPv4-mapped addresses becomes the range of their IPv4 addresses.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first,
            let bytes = (try? SocketAddress(numeric: String(host), port: 0))?.hostBytes,
            let address = SocketAddress(host: bytes.unmappedAddress, port: 0)
        else { return nil }
        first = address.hostBytes
        let width = first.count * 8
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1])
            else { return nil }
            self.bits = bits - (bytes.count * 8 - width)
        } else {
            bits = width
        }
        guard (0...width).contains(bits), AddressRange.masked(first, to: bits) == first else { return nil }
        self.text = address.host + (bits < width ? "/\(bits)" : "")
    }

    /// Whether the range contains an address of 4 or 16 bytes.
    package func contains(_ address: [UInt8]) -> Bool {
        let address = address.unmappedAddress
        return address.count == first.count && AddressRange.masked(address, to: bits) == first
    }

    /// Whether the ranges together contain every address of IPv4 or every address of IPv6. No range may lie
    /// inside another one.
    package static func coverAllAddresses(_ ranges: [AddressRange]) -> Bool {
        [4, 16].contains { bytes in
            let parts = ranges.filter { $0.first.count == bytes }.map {
                Double(sign: .plus, exponent: -$0.bits, significand: 1)
            }
            return parts.reduce(0, +) >= 1
        }
    }

    private static func masked(_ address: [UInt8], to bits: Int) -> [UInt8] {
        address.enumerated().map { place, byte in
            let kept = min(8, max(0, bits - place * 8))
            return kept == 0 ? 0 : byte & (0xFF << (8 - kept))
        }
    }
}

extension Array<UInt8> {
    /// The IPv4 address, if these 16 bytes are an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2); otherwise
    /// these bytes. A server that listens at `::` sees IPv4 clients under mapped addresses.
    package var unmappedAddress: [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return count == 16 && starts(with: mapped) ? [UInt8](suffix(4)) : self
    }

    /// The part of an address that identifies one user: an IPv4 address, or the first 64 bits of an IPv6
    /// address, which name a network. Within its network, a user can choose any address.
    package var addressBlock: [UInt8] {
        let address = unmappedAddress
        return address.count == 16 ? [UInt8](address.prefix(8)) : address
    }
}
