/// A private key on P-256, used to agree on secrets with others' public keys (ECDH, NIST SP 800-56A
/// §5.7.1.2).
package struct AgreementKey: Sendable {
    /// The key in the form of the library, which also signs.
    let key: P256Key
    /// The public key, with which others agree on a secret with the holder of the private key.
    package let publicKey: PublicKey

    /// The length of a private key's number, in bytes.
    package static let length = P256.numberLength

    /// The private key with this number.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the number isn't 32 bytes long, is zero, or isn't below the
    ///   curve's order.
    package init(number: SecretBytes) throws(SealError) { try self.init(P256Key(number: number)) }

    /// The agreement key of this private key.
    init(_ key: P256Key) throws(SealError) {
        self.key = key
        publicKey = try PublicKey(key.point)
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
        try key.secret(with: other.bytes)
    }
}
