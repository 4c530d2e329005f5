import COpenSSL

/// How OpenSSL is called: its error queue is empty before a call, and emptied into the error after one failed.
enum OpenSSL {
    /// Runs a call that returns 1 for success.
    static func check(_ operation: StaticString, _ call: () -> Int32) throws(SealError) {
        ERR_clear_error()
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
