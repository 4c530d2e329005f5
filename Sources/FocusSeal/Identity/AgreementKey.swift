import COpenSSL

/// A private key on P-256, used to agree on secrets with others' public keys (ECDH, NIST SP 800-56A
/// §5.7.1.2).
package struct AgreementKey: Sendable {
    /// The key in a form that OpenSSL reads: PKCS #8, or an ECPrivateKey (RFC 5915), in DER.
    private let encoded: SecretBytes
    /// The public key, with which others agree on a secret with the holder of the private key.
    package let publicKey: PublicKey

    /// The length of a private key's number, in bytes.
    package static let length = 32

    /// A device's key.
    package init(_ identity: DeviceIdentity) throws(SealError) { try self.init(encoded: identity.privateKey) }

    /// The private key with this number.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the number isn't 32 bytes long, is zero, or isn't below the
    ///   curve's order.
    package init(number: SecretBytes) throws(SealError) {
        guard number.count == AgreementKey.length else {
            throw SealError(.malformedKey, "a private key has \(number.count) bytes instead of 32")
        }
        // SEQUENCE { 1, the number, [0] the curve's name }
        let head: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
        let curve: [UInt8] = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        try self.init(encoded: SecretBytes(head + number.exposed() + curve))
    }

    private init(encoded: SecretBytes) throws(SealError) {
        let pair = try Handle<KeyPair>(privateKey: encoded)
        let raw = pair.raw
        publicKey = try PublicKey(
            info: DER.encode("encoding a public key") { $0.pointee.i2d_PUBKEY(raw, $1) })
        self.encoded = encoded
    }

    /// Returns a new key made of random bytes from `random`. About one number in 2^32 is no valid key, so up
    /// to eight numbers are tried.
    package static func random(
        _ random: (Int) throws(SealError) -> SecretBytes
    ) throws(SealError) -> AgreementKey {
        for _ in 0..<8 {
            do throws(SealError) {
                return try AgreementKey(number: random(length))
            } catch  where error.code == .malformedKey {
                continue
            }
        }
        throw SealError(.library, "the random generator gives no private key")
    }

    /// Returns the secret that only the holders of this key and of the other private key can compute: the
    /// x-coordinate of the shared point, 32 bytes.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the other key is no point on the curve.
    func secret(with other: PublicKey) throws(SealError) -> SecretBytes {
        let pair = try Handle<KeyPair>(privateKey: encoded)
        let peer = try other.handle()
        let (own, their) = (pair.raw, peer.raw)
        let context = try Handle<KeyContext>("making an agreement") {
            $0.pointee.EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        }
        let raw = context.raw
        return try SecretBytes(count: AgreementKey.length) { output throws(SealError) in
            try OpenSSL.check("agreeing on a secret") { crypto in
                guard crypto.pointee.EVP_PKEY_derive_init(raw) == 1,
                    crypto.pointee.EVP_PKEY_derive_set_peer(raw, their) == 1
                else {
                    return 0
                }
                var length = output.count
                let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                guard crypto.pointee.EVP_PKEY_derive(raw, start, &length) == 1 else { return 0 }
                return length == output.count ? 1 : 0
            }
        }
    }
}
