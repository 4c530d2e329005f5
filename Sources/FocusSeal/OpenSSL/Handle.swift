import COpenSSL

/// A kind of OpenSSL object: how to free one.
protocol OpenSSLObject {
    static func free(_ raw: OpaquePointer)
}

/// Owns one OpenSSL object and frees it.
struct Handle<Object: OpenSSLObject>: ~Copyable {
    let raw: OpaquePointer

    /// Adopts what an OpenSSL function that makes an object gave.
    ///
    /// - Throws: `SealError` with this code and OpenSSL's reason where it gave nothing.
    init(
        _ operation: StaticString, code: SealError.Code = .library, _ make: () -> OpaquePointer?
    ) throws(SealError) {
        raw = try OpenSSL.made(operation, code: code, make)
    }

    deinit { Object.free(raw) }
}

/// An `EC_GROUP`.
enum Curve: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EC_GROUP_free(raw) }
}

/// An `EC_POINT`.
enum CurvePoint: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EC_POINT_free(raw) }
}

/// An `EVP_CIPHER_CTX`.
enum CipherContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EVP_CIPHER_CTX_free(raw) }
}

/// An `EVP_MD_CTX`.
enum DigestContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EVP_MD_CTX_free(raw) }
}

/// An `EVP_PKEY_CTX`.
enum KeyContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EVP_PKEY_CTX_free(raw) }
}

/// An `EVP_PKEY`.
enum KeyPair: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { EVP_PKEY_free(raw) }
}

/// An `X509`.
enum Certificate: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { X509_free(raw) }
}

/// A `BIO` over memory.
enum MemoryBuffer: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { BIO_free_all(raw) }
}

/// A `PKCS8_PRIV_KEY_INFO`.
enum PrivateKeyInfo: OpenSSLObject {
    static func free(_ raw: OpaquePointer) { PKCS8_PRIV_KEY_INFO_free(raw) }
}
