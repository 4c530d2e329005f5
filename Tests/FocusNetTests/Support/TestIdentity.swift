import COpenSSL
import FocusNet
import Testing

/// Makes a new key, P-256 by default, with a self-signed certificate.
func makeIdentity(_ kind: TestKey = .p256) throws -> TLSIdentity {
    let key = try #require(kind.generate())
    defer { EVP_PKEY_free(key) }
    let certificate = try #require(X509_new())
    defer { X509_free(certificate) }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    // The certificate expired long ago, but nobody checks its dates.
    X509_gmtime_adj(X509_getm_notBefore(certificate), -2_000)
    X509_gmtime_adj(X509_getm_notAfter(certificate), -1_000)
    X509_set_pubkey(certificate, key)
    try #require(X509_sign(certificate, key, kind == .ed25519 ? nil : EVP_sha256()) > 0)
    return TLSIdentity(
        certificate: try encoded { i2d_X509(certificate, $0) }, privateKey: try encodedPKCS8(key))
}

/// Makes a context with a new identity, for the protocol `test/1` by default.
func makeContext(_ applicationProtocol: String = "test/1") throws -> TLSContext {
    try TLSContext(identity: try makeIdentity(), applicationProtocol: applicationProtocol)
}

/// A kind of key that a peer may have.
enum TestKey: CaseIterable {
    /// The required kind.
    case p256
    /// The required kind, but with its point in the compressed form, which isn't accepted.
    case compressed
    case p384, rsa, ed25519

    /// Returns an `EVP_PKEY *`, or nil if OpenSSL can't make one.
    fileprivate func generate() -> OpaquePointer? {
        let algorithm =
            switch self {
            case .p256, .compressed, .p384: "EC"
            case .rsa: "RSA"
            case .ed25519: "ED25519"
            }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        if algorithm == "EC", EVP_PKEY_CTX_set_group_name(context, self == .p384 ? "P-384" : "P-256") != 1 {
            return nil
        }
        var key: OpaquePointer?
        guard EVP_PKEY_generate(context, &key) == 1 else { return nil }
        if self == .compressed { EVP_PKEY_set_utf8_string_param(key, "point-format", "compressed") }
        return key
    }
}

private func encodedPKCS8(_ key: OpaquePointer) throws -> [UInt8] {
    let info = try #require(EVP_PKEY2PKCS8(key))
    defer { PKCS8_PRIV_KEY_INFO_free(info) }
    return try encoded { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
}

private func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) throws
    -> [UInt8]
{
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = encode(&bytes)
    let start = try #require(bytes)
    defer { CRYPTO_free(start, nil, 0) }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
}
