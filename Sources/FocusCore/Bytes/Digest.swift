/// A SHA-256 hash. The hash of a public key is the identity of a device or a server. An invite's token is
/// hashed too.
///
/// It is stored as four big-endian 64-bit words, because sets of thousands of digests are built often.
package struct Digest: Hashable, Sendable {
    private let first, second, third, fourth: UInt64

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter(reserving: Digest.length)
        writer.fixed(first)
        writer.fixed(second)
        writer.fixed(third)
        writer.fixed(fourth)
        return writer.bytes
    }

    /// The first 8 bytes, as a big-endian number in two's complement.
    package var beginning: Int64 { Int64(bitPattern: first) }

    /// The length of a digest, in bytes.
    package static let length = 32

    /// Creates the digest from these bytes, or nil if there aren't exactly 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Digest.length else { return nil }
        self.init { bytes[$0] }
    }

    /// Creates the digest from these bytes.
    package init(_ bytes: InlineArray<32, UInt8>) { self.init { bytes[$0] } }

    /// - Parameter byte: Returns the byte at an index from 0 through 31.
    fileprivate init(_ byte: (Int) -> UInt8) {
        func word(_ number: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 << 8 | UInt64(byte(8 * number + $1)) }
        }
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }

    /// Creates the digest from 64 hexadecimal digits, or nil for any other text.
    package init?(hexadecimal text: String) {
        guard let bytes = FocusCore.bytes(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Whether this digest comes before `other` in the order of their bytes.
    package func precedes(_ other: Digest) -> Bool {
        (first, second, third, fourth) < (other.first, other.second, other.third, other.fourth)
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hexadecimal: String { FocusCore.hexadecimal(bytes) }
}

extension ByteReader {
    /// Reads a digest, 32 bytes.
    ///
    /// - Throws: `Failure.truncated` if fewer bytes are left.
    package mutating func digest() throws(Failure) -> Digest {
        let bytes = try raw(Digest.length)
        return Digest { bytes[bytes.startIndex + $0] }
    }
}

/// Returns the bytes as lower-case hexadecimal digits, two for each byte.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
        digits.append(digit(byte >> 4))
        digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
}

/// Returns the integer as 16 lower-case hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// Returns the bytes that hexadecimal digits of either case stand for, or nil for any other text.
package func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
        guard let value = hexadecimalValue(digit) else { return nil }
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}

/// Returns the value of a hexadecimal digit, or nil for any other character.
private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// A short number that stands for some bytes: 64-bit FNV-1a (Fowler, Noll, Vo). It is the same on every
/// machine and in every version. An attacker can make two texts with the same fingerprint, so no code may
/// rely on fingerprints being unique.
package struct Fingerprint: Hashable, Sendable {
    /// The fingerprint of the bytes added so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates the fingerprint of no bytes.
    package init() {}

    /// Adds more bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Adds a text and a byte that marks its end. So "ab" and "c" produce another fingerprint than "a" and
    /// "bc".
    package mutating func add(_ text: String) {
        add(text.utf8)
        add(CollectionOfOne(0xFF))
    }
}
