import COpenSSL

/// How OpenSSL is called: its error queue is empty before a call, and emptied into the error after one failed.
enum OpenSSL {
    /// Runs a call that returns 1 for success.
    static func check(_ operation: StaticString, _ call: () -> Int32) throws(SealError) {
        ERR_clear_error()
        guard call() == 1 else { throw failure(operation) }
    }

    /// As `check`, right after another call that succeeded: that left nothing in the queue, and emptying it takes as long
    /// as hashing a hundred bytes.
    static func checkNext(_ operation: StaticString, _ call: () -> Int32) throws(SealError) {
        guard call() == 1 else { throw failure(operation) }
    }

    /// Runs a call that returns an object, or nil.
    static func made<Made>(
        _ operation: StaticString, code: SealError.Code = .library, _ call: () -> Made?
    ) throws(SealError) -> Made {
        ERR_clear_error()
        guard let made = call() else { throw failure(operation, code: code) }
        return made
    }

    /// The error for the call that just failed, with the reason that OpenSSL gives. Empties the error queue.
    static func failure(_ operation: StaticString, code: SealError.Code = .library) -> SealError {
        let reason = ERR_peek_last_error()
        ERR_clear_error()
        guard let text = ERR_reason_error_string(reason) else {
            return SealError(code, "\(operation) failed")
        }
        return SealError(code, "\(operation) failed: \(String(cString: text))")
    }
}

/// An algorithm fetched from OpenSSL's providers; fetching is slow, so each is fetched once, at its first use.
///
/// `@unchecked Sendable`: a fetched algorithm is never written to, and OpenSSL counts references to it atomically.
final class Algorithm: @unchecked Sendable {
    let raw: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    private init(raw: OpaquePointer, free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.raw = raw
        self.free = free
    }

    deinit { free(raw) }

    /// The cipher of this name, such as `AES-256-SIV`.
    static func cipher(_ name: String) throws(SealError) -> Algorithm {
        let raw = try OpenSSL.made("fetching a cipher") { EVP_CIPHER_fetch(nil, name, nil) }
        return Algorithm(raw: raw) { EVP_CIPHER_free($0) }
    }

    /// SHA-256 (FIPS 180-4).
    static func sha256() throws(SealError) -> Algorithm { try fetchedSHA256.get() }

    /// AES-256-SIV (RFC 5297): a key of 64 bytes.
    static func aes256SIV() throws(SealError) -> Algorithm { try fetchedAES256SIV.get() }

    private static let fetchedSHA256 = fetched { () throws(SealError) in
        let raw = try OpenSSL.made("fetching SHA-256") { EVP_MD_fetch(nil, "SHA256", nil) }
        return Algorithm(raw: raw) { EVP_MD_free($0) }
    }

    private static let fetchedAES256SIV = fetched { () throws(SealError) in try cipher("AES-256-SIV") }

    private static func fetched(
        _ fetch: () throws(SealError) -> Algorithm
    ) -> Result<Algorithm, SealError> {
        do { return .success(try fetch()) } catch { return .failure(error) }
    }
}

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

/// OpenSSL's `i2d_` functions: called without a buffer they say the length; called with one they fill it.
enum DER {
    typealias Encoder = (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32

    /// What an `i2d_` function encodes.
    static func encode(_ operation: StaticString, _ encoder: Encoder) throws(SealError) -> [UInt8] {
        let length = try length(operation, encoder)
        var bytes = [UInt8](repeating: 0, count: length)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return encoder(&cursor)
        }
        guard written == Int32(clamping: length) else { throw OpenSSL.failure(operation) }
        return bytes
    }

    /// What an `i2d_` function encodes, where that must not be seen.
    static func encodeSecret(_ operation: StaticString, _ encoder: Encoder) throws(SealError) -> SecretBytes {
        let length = try length(operation, encoder)
        return try SecretBytes(count: length) { buffer throws(SealError) in
            var cursor = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard encoder(&cursor) == Int32(clamping: length) else { throw OpenSSL.failure(operation) }
        }
    }

    private static func length(_ operation: StaticString, _ encoder: Encoder) throws(SealError) -> Int {
        ERR_clear_error()
        let length = encoder(nil)
        guard length > 0 else { throw OpenSSL.failure(operation) }
        return Int(length)
    }
}

extension Handle<Certificate> {
    /// Parses an X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` where that is not a certificate.
    init(certificate: [UInt8]) throws(SealError) {
        try self.init("reading a certificate", code: .malformedKey) {
            certificate.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return d2i_X509(nil, &cursor, bytes.count)
            }
        }
    }
}
