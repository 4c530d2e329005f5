/// A SHA-256: of a device's or a server's public key, which is who it is, or of an invite's token.
///
/// Kept as words, the first byte the highest of the first one: a server may name thousands of digests, of which sets are
/// made again and again.
package struct Digest: Hashable, Sendable {
    private let first, second, third, fourth: UInt64

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
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
