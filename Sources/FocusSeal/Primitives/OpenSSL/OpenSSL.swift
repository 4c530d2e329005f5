import COpenSSL

/// Calls of OpenSSL with error handling: opens the library, empties the error queue before a call, and moves
/// the queue's error into the thrown one after a failed call.
enum OpenSSL {
    /// Passes OpenSSL's functions to `call`, which returns 1 for success. Throws if it returns another number.
    static func check(_ operation: StaticString, _ call: (CryptoFunctions) -> Int32) throws(SealError) {
        try check(operation, of: CryptoLibrary.opened().functions, call)
    }

    /// Does the same as the other `check`, with functions that the caller has already.
    static func check(
        _ operation: StaticString, of crypto: CryptoFunctions, _ call: (CryptoFunctions) -> Int32
    ) throws(SealError) {
        crypto.pointee.ERR_clear_error()
        try checkNext(operation, of: crypto, call)
    }

    /// Does the same as `check`, but right after a successful call. The queue is empty then, and emptying it
    /// again would take as long as hashing a hundred bytes.
    static func checkNext(
        _ operation: StaticString, of crypto: CryptoFunctions, _ call: (CryptoFunctions) -> Int32
    ) throws(SealError) {
        guard call(crypto) == 1 else { throw failure(operation, of: crypto) }
    }

    /// Passes OpenSSL's functions to `call`, which returns an object. Throws if it returns nil.
    static func create<Made>(
        _ operation: StaticString, code: SealError.Code = .library, of crypto: CryptoFunctions,
        _ call: (CryptoFunctions) -> Made?
    ) throws(SealError) -> Made {
        crypto.pointee.ERR_clear_error()
        guard let object = call(crypto) else { throw failure(operation, code: code, of: crypto) }
        return object
    }

    /// Returns the error for the call that just failed, with OpenSSL's reason. Empties the error queue.
    static func failure(
        _ operation: StaticString, code: SealError.Code = .library, of crypto: CryptoFunctions
    ) -> SealError {
        let reason = crypto.pointee.ERR_peek_last_error()
        crypto.pointee.ERR_clear_error()
        guard let text = crypto.pointee.ERR_reason_error_string(reason) else {
            return SealError(code, "\(operation) failed")
        }
        return SealError(code, "\(operation) failed: \(String(cString: text))")
    }
}

/// An algorithm fetched from OpenSSL's providers. Fetching is slow, so each is fetched once, at its first
/// use.
///
/// `@unchecked Sendable`: a fetched algorithm is never written to, and OpenSSL counts references to it
/// atomically.
final class Algorithm: @unchecked Sendable {
    let raw: OpaquePointer
    let library: CryptoLibrary
    private let free: @Sendable (OpaquePointer, CryptoFunctions) -> Void

    private init(
        _ operation: StaticString, _ fetch: (CryptoFunctions) -> OpaquePointer?,
        free: @escaping @Sendable (OpaquePointer, CryptoFunctions) -> Void
    ) throws(SealError) {
        library = try CryptoLibrary.opened()
        raw = try OpenSSL.create(operation, of: library.functions, fetch)
        self.free = free
    }

    deinit { free(raw, library.functions) }

    /// Returns SHA-256 (FIPS 180-4).
    static func sha256() throws(SealError) -> Algorithm {
        // The result of the fetch is kept. Without this check, a failure to open the library would be kept
        // too.
        _ = try CryptoLibrary.opened()
        return try fetchedSHA256.get()
    }

    /// Returns AES-256-SIV (RFC 5297), which takes a key of 64 bytes.
    static func aes256SIV() throws(SealError) -> Algorithm {
        _ = try CryptoLibrary.opened()
        return try fetchedAES256SIV.get()
    }

    private static let fetchedSHA256 = fetched { () throws(SealError) in
        try Algorithm(
            "fetching SHA-256", { $0.pointee.EVP_MD_fetch(nil, "SHA256", nil) },
            free: { $1.pointee.EVP_MD_free($0) })
    }

    private static let fetchedAES256SIV = fetched { () throws(SealError) in
        try Algorithm(
            "fetching AES-256-SIV", { $0.pointee.EVP_CIPHER_fetch(nil, "AES-256-SIV", nil) },
            free: { $1.pointee.EVP_CIPHER_free($0) })
    }

    private static func fetched(
        _ fetch: () throws(SealError) -> Algorithm
    ) -> Result<Algorithm, SealError> {
        do { return .success(try fetch()) } catch { return .failure(error) }
    }
}

/// A type of OpenSSL object, with the function that frees it.
protocol OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions)
}

/// Owns one OpenSSL object and frees it.
struct Handle<Object: OpenSSLObject>: ~Copyable {
    let raw: OpaquePointer
    private let library: CryptoLibrary

    /// Takes ownership of the object that `make` returns.
    ///
    /// - Throws: `SealError` with this code and OpenSSL's reason if `make` returns nil.
    init(
        _ operation: StaticString, code: SealError.Code = .library,
        _ make: (CryptoFunctions) -> OpaquePointer?
    ) throws(SealError) {
        try self.init(operation, code: code, of: CryptoLibrary.opened(), make)
    }

    /// Takes ownership as the other initialiser does, with a library that is open already.
    init(
        _ operation: StaticString, code: SealError.Code = .library, of library: CryptoLibrary,
        _ make: (CryptoFunctions) -> OpaquePointer?
    ) throws(SealError) {
        raw = try OpenSSL.create(operation, code: code, of: library.functions, make)
        self.library = library
    }

    deinit { Object.free(raw, library.functions) }
}

/// An `EC_GROUP`.
enum Curve: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.EC_GROUP_free(raw) }
}

/// An `EC_POINT`.
enum CurvePoint: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.EC_POINT_free(raw) }
}

/// An `EVP_CIPHER_CTX`.
enum CipherContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) {
        crypto.pointee.EVP_CIPHER_CTX_free(raw)
    }
}

/// An `EVP_MD_CTX`.
enum DigestContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.EVP_MD_CTX_free(raw) }
}

/// An `EVP_PKEY_CTX`.
enum KeyContext: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) {
        crypto.pointee.EVP_PKEY_CTX_free(raw)
    }
}

/// An `EVP_PKEY`.
enum KeyPair: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.EVP_PKEY_free(raw) }
}

/// An `X509`.
enum Certificate: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.X509_free(raw) }
}

/// A `BIO` over memory.
enum MemoryBuffer: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) { crypto.pointee.BIO_free_all(raw) }
}

/// A `PKCS8_PRIV_KEY_INFO`.
enum PrivateKeyInfo: OpenSSLObject {
    static func free(_ raw: OpaquePointer, _ crypto: CryptoFunctions) {
        crypto.pointee.PKCS8_PRIV_KEY_INFO_free(raw)
    }
}

/// OpenSSL's `i2d_` functions. Called without a buffer they return the length; called with one they fill it.
enum DER {
    typealias Encoder = (CryptoFunctions, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32

    /// Returns the bytes that an `i2d_` function encodes.
    static func encode(_ operation: StaticString, _ encoder: Encoder) throws(SealError) -> [UInt8] {
        let crypto = try CryptoLibrary.opened().functions
        let length = try length(operation, encoder, crypto)
        var bytes = [UInt8](repeating: 0, count: length)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return encoder(crypto, &cursor)
        }
        guard written == Int32(clamping: length) else { throw OpenSSL.failure(operation, of: crypto) }
        return bytes
    }

    /// Returns the bytes that an `i2d_` function encodes, as secret bytes.
    static func encodeSecret(_ operation: StaticString, _ encoder: Encoder) throws(SealError) -> SecretBytes {
        let crypto = try CryptoLibrary.opened().functions
        let length = try length(operation, encoder, crypto)
        return try SecretBytes(count: length) { buffer throws(SealError) in
            var cursor = buffer.octets
            guard encoder(crypto, &cursor) == Int32(clamping: length) else {
                throw OpenSSL.failure(operation, of: crypto)
            }
        }
    }

    private static func length(
        _ operation: StaticString, _ encoder: Encoder, _ crypto: CryptoFunctions
    ) throws(SealError) -> Int {
        crypto.pointee.ERR_clear_error()
        let length = encoder(crypto, nil)
        guard length > 0 else { throw OpenSSL.failure(operation, of: crypto) }
        return Int(length)
    }
}
