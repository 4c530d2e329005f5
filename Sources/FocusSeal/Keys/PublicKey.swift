package import FocusCore

/// A device's public key: a point on P-256, uncompressed (SEC 1 §2.3.3).
package struct PublicKey: Hashable, Sendable {
    /// The 65 bytes.
    package let bytes: [UInt8]

    /// The length of a key, in bytes.
    package static let length = P256.pointLength

    /// The key with these bytes. This doesn't check that the point is on the curve.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes don't have the form of an uncompressed point.
    package init(_ bytes: [UInt8]) throws(SealError) {
        guard P256.isUncompressed(bytes) else {
            throw SealError(.malformedKey, "a public key isn't an uncompressed point")
        }
        self.bytes = bytes
    }

    /// Returns the device identity: the SHA-256 of the key's SubjectPublicKeyInfo.
    package func hash() throws(SealError) -> Digest {
        try Digest(publicKeyInfo: P256.infoPrefix + bytes)
    }

    /// Whether the point is on the curve, so that keys can be wrapped to it.
    package var isOnCurve: Bool { P256Key.isOnCurve(bytes) }
}

extension Digest {
    /// The SHA-256 of these bytes.
    package init(of bytes: RawSpan) throws(SealError) {
        var hasher = try SHA256()
        let hash = try hasher.hash(bytes)
        self.init(hash)
    }

    /// The identity of a device or a server with this public key: the SHA-256 of the key's
    /// SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7).
    package init(publicKeyInfo: [UInt8]) throws(SealError) { try self.init(of: publicKeyInfo.span.bytes) }
}
