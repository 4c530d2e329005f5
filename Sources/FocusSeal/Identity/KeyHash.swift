import COpenSSL

/// Who a device or a server is: the SHA-256 of its public key (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7).
package struct KeyHash: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The length of a hash, in bytes.
    package static let length = SHA256.length

    /// The hash of these bytes; nil where there are not exactly 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == KeyHash.length else { return nil }
        self.bytes = bytes
    }

    /// The hash that 64 hexadecimal digits stand for; nil for any other text.
    package init?(hexadecimal text: String) {
        guard let bytes = FocusSeal.bytes(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The hash of a public key's SubjectPublicKeyInfo in DER.
    package init(publicKeyInfo: [UInt8]) throws(SealError) {
        bytes = try SHA256.hash(publicKeyInfo.span.bytes)
    }

    /// The hash of the public key in an X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` where that is not a certificate.
    package init(certificate: [UInt8]) throws(SealError) {
        let parsed = try Handle<Certificate>(certificate: certificate)
        let raw = parsed.raw
        try self.init(
            publicKeyInfo: DER.encode("encoding a public key") {
                i2d_X509_PUBKEY(X509_get_X509_PUBKEY(raw), $0)
            })
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String { hexadecimal(bytes) }

    package static func < (left: KeyHash, right: KeyHash) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
