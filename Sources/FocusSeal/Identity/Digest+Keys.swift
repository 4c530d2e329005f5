package import FocusCore

extension Digest {
    /// The SHA-256 of these bytes.
    package init(of bytes: RawSpan) throws(SealError) {
        var hasher = try SHA256()
        let hash = try hasher.hash(bytes)
        self.init(hash)
    }

    /// Who a public key makes a device or a server be: the SHA-256 of its SubjectPublicKeyInfo in DER (RFC 5280
    /// §4.1.2.7).
    package init(publicKeyInfo: [UInt8]) throws(SealError) { try self.init(of: publicKeyInfo.span.bytes) }

    /// Who the public key in an X.509 certificate in DER makes a device or a server be.
    ///
    /// - Throws: `SealError.Code.malformedKey` where that is not a certificate, or one of a key that isn't on P-256.
    package init(certificate: [UInt8]) throws(SealError) {
        self = try PublicKey(certificate: certificate).hash()
    }
}
