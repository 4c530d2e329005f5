/// A SHA-256: of a device's or a server's public key, which is who it is, or of an invite's token.
///
/// Kept as words, the first byte the highest of the first one: a server may name thousands of digests, of which sets are
/// made again and again.
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

    /// The length of a digest, in bytes.
    package static let length = 32

    /// The digest of these bytes; nil where there are not exactly 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Digest.length else { return nil }
        self.init { bytes[$0] }
    }

    /// The digest of these bytes.
    package init(_ bytes: InlineArray<32, UInt8>) { self.init { bytes[$0] } }

    /// - Parameter byte: is asked for each byte from 0 through 31.
    private init(_ byte: (Int) -> UInt8) {
        func word(_ number: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 << 8 | UInt64(byte(8 * number + $1)) }
        }
        (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }

    /// The digest that 64 hexadecimal digits stand for; nil for any other text.
    package init?(hexadecimal text: String) {
        guard let bytes = FocusCore.bytes(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Whether it comes before another in the order of their bytes.
    package func precedes(_ other: Digest) -> Bool {
        (first, second, third, fourth) < (other.first, other.second, other.third, other.fourth)
    }

    /// 64 lower-case hexadecimal digits.
    package var hexadecimal: String { FocusCore.hexadecimal(bytes) }
}

/// Bytes as lower-case hexadecimal digits, two each.
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

/// An integer as 16 lower-case hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// The bytes that these hexadecimal digits stand for, in either case; nil for any other text.
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

/// What a hexadecimal digit stands for; nil for any other character.
private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// A short number that stands for some bytes: FNV-1a of 64 bits (Fowler, Noll, Vo). The same on every machine and in
/// every version. Whoever wants to can make two texts with one fingerprint, so nothing may rest on its not happening.
package struct Fingerprint: Hashable, Sendable {
    /// The number for the bytes taken in so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The fingerprint of no bytes.
    package init() {}

    /// Takes in more bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Takes in a text and where it ends, so that the same characters in other texts give another fingerprint.
    package mutating func add(_ text: String) {
        add(text.utf8)
        add(CollectionOfOne(0xFF))
    }
}
