/// A SHA-256: of a device's or a server's public key, which is who it is, or of an invite's token.
package struct Digest: Hashable, Sendable {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The length of a digest, in bytes.
    package static let length = 32

    /// The digest of these bytes; nil where there are not exactly 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Digest.length else { return nil }
        self.bytes = bytes
    }

    /// The digest of these bytes.
    package init(_ bytes: InlineArray<32, UInt8>) { self.bytes = bytes.indices.map { bytes[$0] } }

    /// The digest that 64 hexadecimal digits stand for; nil for any other text.
    package init?(hexadecimal text: String) {
        guard let bytes = FocusCore.bytes(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits.
    package var hexadecimal: String { FocusCore.hexadecimal(bytes) }
}
