/// The IP addresses that begin with the same bits: one address, or a network, written `10.0.0.7` or `10.0.0.0/24`.
package struct AddressRange: Hashable, Sendable {
    /// The first address: 4 bytes or 16.
    private let first: [UInt8]
    /// How many of its bits all of them share.
    private let bits: Int
    /// As it is written.
    package let text: String

    /// The range that a text says; nil where it says none: no numeric address, more bits than one has, or a network's address
    /// with bits behind those that are shared, which is mostly a slip.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first,
            let address = try? SocketAddress(numeric: String(host), port: 0)
        else { return nil }
        first = address.hostBytes
        let width = first.count * 8
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1]),
                bits <= width
            else { return nil }
            self.bits = bits
        } else {
            bits = width
        }
        self.text = address.host + (bits < width ? "/\(bits)" : "")
        guard AddressRange.masked(first, to: bits) == first else { return nil }
    }

    /// Whether an address of 4 or 16 bytes is among them.
    package func contains(_ address: [UInt8]) -> Bool {
        let address = address.unmappedAddress
        return address.count == first.count && AddressRange.masked(address, to: bits) == first
    }

    /// Whether ranges together hold every address of either version of IP, if none of them lies in another.
    package static func holdEverybody(_ ranges: [AddressRange]) -> Bool {
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
    /// The address of these 16 bytes as the IPv4 address that it stands for, as a server that listens at `::` sees one
    /// (RFC 4291 §2.5.5.2); any other as it is.
    package var unmappedAddress: [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return count == 16 && starts(with: mapped) ? [UInt8](suffix(4)) : self
    }
}
