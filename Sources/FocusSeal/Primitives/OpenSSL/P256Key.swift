import COpenSSL
import FocusCore

/// A private key on P-256, by OpenSSL.
struct P256Key: CurveKey {
    /// The key in a form that OpenSSL reads: PKCS #8, or an ECPrivateKey (RFC 5915), in DER.
    private let encoded: SecretBytes
    let point: [UInt8]

    init(number: SecretBytes) throws(SealError) {
        guard number.withBytes(P256.isPrivateNumber) else {
            throw SealError(.malformedKey, "a private key is no number below the curve's order")
        }
        // SEQUENCE { 1, the number, [0] the curve's name }
        let head: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
        let curve: [UInt8] = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        let curveStart = head.count + number.count
        let encoded = try SecretBytes(count: curveStart + curve.count) { buffer throws(SealError) in
            buffer.copyBytes(from: head)
            number.withBytes { number in
                number.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]).copyMemory(from: $0)
                }
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[curveStart...]).copyBytes(from: curve)
        }
        try self.init(encoded: encoded)
    }

    /// The private key in these bytes: PKCS #8 or an ECPrivateKey in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if they contain no key on P-256.
    init(encoded: SecretBytes) throws(SealError) {
        let pair = try Handle<KeyPair>(privateKey: encoded)
        let raw = pair.raw
        point = try P256.point(
            info: DER.encode("encoding a public key") { $0.pointee.i2d_PUBKEY(raw, $1) })
        self.encoded = encoded
    }

    func secret(with other: [UInt8]) throws(SealError) -> SecretBytes {
        let pair = try Handle<KeyPair>(privateKey: encoded)
        let peer = try Handle<KeyPair>(point: other)
        let (own, their) = (pair.raw, peer.raw)
        let context = try Handle<KeyContext>("making an agreement") {
            $0.pointee.EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        }
        let raw = context.raw
        return try SecretBytes(count: P256.numberLength) { output throws(SealError) in
            try OpenSSL.check("agreeing on a secret") { crypto in
                guard crypto.pointee.EVP_PKEY_derive_init(raw) == 1,
                    crypto.pointee.EVP_PKEY_derive_set_peer(raw, their) == 1
                else {
                    return 0
                }
                var length = output.count
                guard crypto.pointee.EVP_PKEY_derive(raw, output.octets, &length) == 1 else { return 0 }
                return length == output.count ? 1 : 0
            }
        }
    }

    func signature(of hash: Digest) throws(SealError) -> [UInt8] {
        let pair = try Handle<KeyPair>(privateKey: encoded)
        let own = pair.raw
        let context = try Handle<KeyContext>("making a signature") {
            $0.pointee.EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        }
        let raw = context.raw
        let message = hash.bytes
        var signature = [UInt8](repeating: 0, count: ECDSASignature.lengthLimit)
        var length = signature.count
        try OpenSSL.check("signing") { crypto in
            guard crypto.pointee.EVP_PKEY_sign_init(raw) == 1 else { return 0 }
            return crypto.pointee.EVP_PKEY_sign(raw, &signature, &length, message, message.count)
        }
        return Array(signature.prefix(length))
    }

    static func isSignature(
        _ signature: [UInt8], of hash: Digest, by point: [UInt8]
    ) throws(SealError) -> Bool {
        guard ECDSASignature(der: signature) != nil, isOnCurve(point) else { return false }
        let key = try Handle<KeyPair>(point: point)
        let own = key.raw
        let context = try Handle<KeyContext>("checking a signature") {
            $0.pointee.EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        }
        let raw = context.raw
        try OpenSSL.check("checking a signature") { $0.pointee.EVP_PKEY_verify_init(raw) }
        let crypto = try CryptoLibrary.opened().functions
        let message = hash.bytes
        defer { crypto.pointee.ERR_clear_error() }
        return crypto.pointee.EVP_PKEY_verify(raw, signature, signature.count, message, message.count) == 1
    }

    /// Whether the point is on the curve. This takes a tenth of the time of parsing a key.
    static func isOnCurve(_ point: [UInt8]) -> Bool {
        guard P256.isUncompressed(point),
            let curve = try? Handle<Curve>(
                "making a curve", { $0.pointee.EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) }),
            let place = try? Handle<CurvePoint>("making a point", { $0.pointee.EC_POINT_new(curve.raw) }),
            let crypto = try? CryptoLibrary.opened().functions
        else { return false }
        defer { crypto.pointee.ERR_clear_error() }
        return crypto.pointee.EC_POINT_oct2point(curve.raw, place.raw, point, point.count, nil) == 1
    }
}

extension P256 {
    /// Returns the point in a SubjectPublicKeyInfo in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if it is another kind of key.
    static func point(info: [UInt8]) throws(SealError) -> [UInt8] {
        let point = Array(info.dropFirst(infoPrefix.count))
        guard info.starts(with: infoPrefix), isUncompressed(point) else {
            throw SealError(.malformedKey, "its key isn't one on P-256, as an uncompressed point")
        }
        return point
    }
}

extension Handle<KeyPair> {
    /// Parses a private key: PKCS #8 in DER, or another form that OpenSSL detects.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes are no private key.
    init(privateKey: SecretBytes) throws(SealError) {
        try self.init("reading a private key", code: .malformedKey) { crypto in
            privateKey.withBytes { bytes in
                bytes.octets { start in
                    var cursor = start
                    return crypto.pointee.d2i_AutoPrivateKey(nil, &cursor, bytes.byteCount)
                }
            }
        }
    }

    /// The public key that is this point.
    ///
    /// - Throws: `SealError.Code.malformedKey` if it isn't an uncompressed point on the curve.
    fileprivate init(point: [UInt8]) throws(SealError) {
        guard P256.isUncompressed(point) else {
            throw SealError(.malformedKey, "a public key isn't an uncompressed point")
        }
        let info = P256.infoPrefix + point
        try self.init("reading a public key", code: .malformedKey) { crypto in
            info.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return crypto.pointee.d2i_PUBKEY(nil, &cursor, bytes.count)
            }
        }
    }
}
