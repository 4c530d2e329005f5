import COpenSSL

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
