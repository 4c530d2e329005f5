/// Base64 with padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of these bytes, in one line: four characters for each three of them, and for what is left.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | UInt32(group.dropFirst(offset).first ?? 0) }
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or nil where the text isn't the one encoding of any.
    package static func decode(_ text: String) -> [UInt8]? {
        var bits: UInt32 = 0
        var bitCount = 0
        var bytes: [UInt8] = []
        for character in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return encode(bytes) == text ? bytes : nil
    }
}
