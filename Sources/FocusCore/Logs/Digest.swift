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
}
