import COpenSSL

/// A key for AES-SIV, by OpenSSL.
///
/// Each operation works on a copy of a keyed context. To initialise a context again without a key breaks SIV
/// in OpenSSL 3.0, and to key it again takes three times as long as copying.
///
/// `@unchecked Sendable`: after `init` the keyed contexts are only copied from.
final class SIVKey: DeterministicCipher, @unchecked Sendable {
    /// The keyed context for sealing.
    private let sealing: Handle<CipherContext>
    /// The keyed context for opening.
    private let opening: Handle<CipherContext>
    private let library: CryptoLibrary

    static let keyLength = 64
    static let overhead = 16

    init(_ key: SecretBytes) throws(SealError) {
        guard key.count == SIVKey.keyLength else {
            throw SealError(.malformedKey, "a sealing key has the wrong length")
        }
        let cipher = try Algorithm.aes256SIV()
        library = cipher.library
        let sealing = try Handle<CipherContext>("making a cipher context") { $0.pointee.EVP_CIPHER_CTX_new() }
        let opening = try Handle<CipherContext>("making a cipher context") { $0.pointee.EVP_CIPHER_CTX_new() }
        try key.withBytes { key throws(SealError) in
            try OpenSSL.check("keying a cipher") { crypto in
                key.octets { crypto.pointee.EVP_EncryptInit_ex2(sealing.raw, cipher.raw, $0, nil, nil) }
            }
            try OpenSSL.check("keying a cipher") { crypto in
                key.octets { crypto.pointee.EVP_DecryptInit_ex2(opening.raw, cipher.raw, $0, nil, nil) }
            }
        }
        self.sealing = sealing
        self.opening = opening
    }

    // OpenSSL's SIV produces no IV for an empty text.
    func seal(_ plain: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8] {
        let context = try copy(of: sealing)
        try authenticate(associated, with: context)
        var sealed = [UInt8](repeating: 0, count: SIVKey.overhead + plain.byteCount)
        try sealed.withUnsafeMutableBufferPointer { sealed throws(SealError) in
            var written: Int32 = 0
            let text = sealed.baseAddress?.advanced(by: SIVKey.overhead)
            try OpenSSL.checkNext("sealing", of: library.functions) { crypto in
                plain.octets {
                    crypto.pointee.EVP_EncryptUpdate(
                        context.raw, text, &written, $0, Int32(clamping: plain.byteCount))
                }
            }
            try OpenSSL.checkNext("sealing", of: library.functions) {
                $0.pointee.EVP_EncryptFinal_ex(context.raw, text, &written)
            }
            try OpenSSL.checkNext("reading a synthetic IV", of: library.functions) {
                $0.pointee.EVP_CIPHER_CTX_ctrl(
                    context.raw, EVP_CTRL_AEAD_GET_TAG, Int32(SIVKey.overhead), sealed.baseAddress)
            }
        }
        return sealed
    }

    func open(_ sealed: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8] {
        guard sealed.byteCount > SIVKey.overhead else {
            throw SealError(.notAuthentic, "a sealed text is too short")
        }
        let context = try copy(of: opening)
        try OpenSSL.checkNext("setting a synthetic IV", of: library.functions) { crypto in
            sealed.octets {
                crypto.pointee.EVP_CIPHER_CTX_ctrl(
                    context.raw, EVP_CTRL_AEAD_SET_TAG, Int32(SIVKey.overhead),
                    UnsafeMutablePointer(mutating: $0))
            }
        }
        try authenticate(associated, with: context)
        var plain = [UInt8](repeating: 0, count: sealed.byteCount - SIVKey.overhead)
        let crypto = library.functions
        let authentic = plain.withUnsafeMutableBufferPointer { plain in
            var written: Int32 = 0
            return sealed.octets {
                crypto.pointee.EVP_DecryptUpdate(
                    context.raw, plain.baseAddress, &written, $0?.advanced(by: SIVKey.overhead),
                    Int32(clamping: plain.count))
            }
        }
        guard authentic == 1 else {
            crypto.pointee.ERR_clear_error()
            throw SealError(.notAuthentic, "a sealed text is not authentic")
        }
        return plain
    }

    private func copy(of keyed: borrowing Handle<CipherContext>) throws(SealError) -> Handle<CipherContext> {
        let context = try Handle<CipherContext>("making a cipher context", of: library) {
            $0.pointee.EVP_CIPHER_CTX_new()
        }
        let source = keyed.raw
        try OpenSSL.checkNext("copying a cipher context", of: library.functions) {
            $0.pointee.EVP_CIPHER_CTX_copy(context.raw, source)
        }
        return context
    }

    /// Adds associated data to the operation of `context`.
    private func authenticate(
        _ associated: [[UInt8]], with context: borrowing Handle<CipherContext>
    ) throws(SealError) {
        let raw = context.raw
        for string in associated {
            var written: Int32 = 0
            try OpenSSL.checkNext("taking associated data", of: library.functions) {
                $0.pointee.EVP_CipherUpdate(raw, nil, &written, string, Int32(clamping: string.count))
            }
        }
    }
}
