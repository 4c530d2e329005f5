import COpenSSL

/// The key that a client sends to open a WebSocket, and the server's answer to it (RFC 6455 §4.2.2).
package enum WebSocketKey {
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Returns the value of `Sec-WebSocket-Accept` for a value of `Sec-WebSocket-Key`. Returns nil if the key
    /// isn't the base64 of 16 bytes.
    ///
    /// - Throws: `.noLibrary` if OpenSSL isn't installed, `.system` if it has no SHA-1.
    package static func accept(_ key: String) throws(NetError) -> String? {
        guard key.utf8.count == 24, key.hasSuffix("=="), key.utf8.dropLast(2).allSatisfy(isDigit) else {
            return nil
        }
        let tls = try TLSLibrary.opened().functions.pointee
        let text = Array((key + suffix).utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        guard tls.EVP_Digest(text, text.count, &digest, nil, tls.EVP_sha1(), nil) == 1 else {
            throw .openSSL(.system, "hashing a WebSocket's key")
        }
        // 20 bytes become 28 characters, and a zero byte follows.
        var encoded = [UInt8](repeating: 0, count: 29)
        let count = tls.EVP_EncodeBlock(&encoded, digest, Int32(digest.count))
        return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
    }

    /// Whether a character is a digit of base64.
    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
