import COpenSSL
package import FocusCore

/// A device's public key: a point on P-256, uncompressed (SEC 1 §2.3.3).
package struct PublicKey: Hashable, Sendable {
    /// The 65 bytes.
    package let bytes: [UInt8]

    /// The length of a key, in bytes.
    package static let length = 65

    /// The start of a SubjectPublicKeyInfo, up to the point. It says that the key is an EC key on P-256 (RFC
    /// 5480 §2).
    private static let infoPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
        0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The key with these bytes. This doesn't check that the point is on the curve.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes don't have the form of an uncompressed point.
    package init(_ bytes: [UInt8]) throws(SealError) {
        guard bytes.count == PublicKey.length, bytes.first == 4 else {
            throw SealError(.malformedKey, "a public key isn't an uncompressed point")
        }
        self.bytes = bytes
    }

    /// The key in an X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes are no certificate, or its key is of another
    ///   kind.
    init(certificate: [UInt8]) throws(SealError) {
        let parsed = try Handle<Certificate>(certificate: certificate)
        let raw = parsed.raw
        try self.init(
            info: DER.encode("encoding a public key") { crypto, cursor in
                crypto.pointee.i2d_X509_PUBKEY(crypto.pointee.X509_get_X509_PUBKEY(raw), cursor)
            })
    }

    /// The key in a SubjectPublicKeyInfo in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if it is another kind of key.
    init(info: [UInt8]) throws(SealError) {
        guard info.starts(with: PublicKey.infoPrefix) else {
            throw SealError(.malformedKey, "its key isn't one on P-256, as an uncompressed point")
        }
        try self.init(Array(info.dropFirst(PublicKey.infoPrefix.count)))
    }

    /// Returns the device identity: the SHA-256 of the key's SubjectPublicKeyInfo.
    package func hash() throws(SealError) -> Digest {
        try Digest(publicKeyInfo: PublicKey.infoPrefix + bytes)
    }

    /// Whether the point is on the curve, so that keys can be wrapped to it. This takes a tenth of the time
    /// of parsing the key with `handle()`.
    package var isOnCurve: Bool {
        guard
            let curve = try? Handle<Curve>(
                "making a curve", { $0.pointee.EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) }),
            let point = try? Handle<CurvePoint>("making a point", { $0.pointee.EC_POINT_new(curve.raw) }),
            let crypto = try? CryptoLibrary.opened().functions
        else { return false }
        defer { crypto.pointee.ERR_clear_error() }
        return crypto.pointee.EC_POINT_oct2point(curve.raw, point.raw, bytes, bytes.count, nil) == 1
    }

    /// Returns the key as an OpenSSL object.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the point is not on the curve.
    func handle() throws(SealError) -> Handle<KeyPair> {
        let info = PublicKey.infoPrefix + bytes
        return try Handle<KeyPair>("reading a public key", code: .malformedKey) { crypto in
            info.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return crypto.pointee.d2i_PUBKEY(nil, &cursor, bytes.count)
            }
        }
    }
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

    /// The identity of the device or server with this X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes are not a certificate, or its key isn't on P-256.
    package init(certificate: [UInt8]) throws(SealError) {
        self = try PublicKey(certificate: certificate).hash()
    }
}
