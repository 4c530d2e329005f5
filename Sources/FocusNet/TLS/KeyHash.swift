import COpenSSL

/// The SHA-256 of a public key as a certificate carries it (SubjectPublicKeyInfo, DER): who a peer is, and what
/// a client pins.
package struct KeyHash: Hashable, Sendable {
    /// How many bytes a key's hash has.
    package static let length = 32

    /// The hash: 32 bytes.
    package let bytes: [UInt8]

    /// The hash with these bytes, or nil where they are not 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == KeyHash.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The hash of a certificate's key, or nil where OpenSSL can't encode it. `certificate` is an `X509 *`.
    init?(certificate: OpaquePointer) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard length > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        var digest = [UInt8](repeating: 0, count: KeyHash.length)
        guard EVP_Digest(encoded, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        bytes = digest
    }

    /// Whether both are the same, found out in a time that doesn't depend on where they differ.
    func matches(_ other: KeyHash) -> Bool { CRYPTO_memcmp(bytes, other.bytes, KeyHash.length) == 0 }
}
