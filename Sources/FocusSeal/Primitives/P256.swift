/// Checks and encodings of P-256 (FIPS 186-5, SEC 1) that need no library, so that all libraries accept the
/// same.
enum P256 {
    /// The length of a private key's number, in bytes.
    static let numberLength = 32
    /// The length of an uncompressed point, in bytes.
    static let pointLength = 65

    /// The start of a SubjectPublicKeyInfo, up to the point. It says that the key is an EC key on P-256 (RFC
    /// 5480 §2).
    static let infoPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
        0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The number of points, big-endian.
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc,
        0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    /// Whether the bytes are a big-endian number of 32 bytes, greater than zero and below the curve's order.
    ///
    /// The time depends only on the length: the subtraction runs over all bytes, and branches on none.
    static func isPrivateNumber(_ number: RawSpan) -> Bool {
        guard number.byteCount == numberLength else { return false }
        return number.withUnsafeBytes { number in
            var borrow = 0
            var bits: UInt8 = 0
            for place in (0..<numberLength).reversed() {
                borrow = (Int(number[place]) - Int(order[place]) - borrow) >> 8 & 1
                bits |= number[place]
            }
            return bits != 0 && borrow == 1
        }
    }

    /// Whether the bytes have the form of an uncompressed point. This doesn't check that it is on the curve.
    static func isUncompressed(_ point: [UInt8]) -> Bool {
        point.count == pointLength && point.first == 4
    }

    /// Returns a big-endian number, which isn't negative, as an INTEGER in DER.
    static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(clamping: digits.count)] + digits
    }
}

/// An ECDSA signature on P-256.
struct ECDSASignature: Hashable {
    /// The numbers r and s, 32 bytes each, big-endian.
    let numbers: [UInt8]

    /// The length of the longest signature in DER, in bytes.
    static let lengthLimit = 72

    /// The signature with the numbers r and s, 32 bytes each.
    init(numbers: [UInt8]) { self.numbers = numbers }

    /// Parses a signature in DER (RFC 3279 §2.2.3). Returns nil for other bytes, also in BER, and if r or s
    /// is zero or not below the curve's order. Of a message, both `(r, s)` and `(r, -s)` are signatures.
    init?(der: [UInt8]) {
        var rest = der[...]
        guard rest.popFirst() == 0x30, let count = rest.popFirst(), Int(count) == rest.count,
            let r = ECDSASignature.removeNumber(&rest), let s = ECDSASignature.removeNumber(&rest),
            rest.isEmpty
        else { return nil }
        numbers = r + s
    }

    /// The signature in DER.
    var der: [UInt8] {
        let pair =
            P256.integer(numbers.prefix(P256.numberLength))
            + P256.integer(numbers.dropFirst(P256.numberLength))
        return [0x30, UInt8(clamping: pair.count)] + pair
    }

    /// Removes an INTEGER from the start of `rest`. Returns it as 32 bytes. Returns nil if it isn't in its
    /// shortest form, is zero, or isn't below the curve's order.
    private static func removeNumber(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst(), Int(count) <= rest.count else {
            return nil
        }
        var digits = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        // A leading zero is there if the next bit would make the number negative, and only then.
        let hasZero = digits.first == 0
        if hasZero { digits = digits.dropFirst() }
        guard let first = digits.first, hasZero == (first >= 0x80), digits.count <= P256.numberLength else {
            return nil
        }
        let number = [UInt8](repeating: 0, count: P256.numberLength - digits.count) + digits
        return P256.isPrivateNumber(number.span.bytes) ? number : nil
    }
}
