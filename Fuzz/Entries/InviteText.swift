import FocusCore
import FocusSeal

/// Writes an invite's line from its bytes, as docs/protocol.md ("Invites") has it and not by the program's own
/// code, so that a mistake in that shows.
enum InviteText {
    private static let prefix = "lockstep1-"
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The line of this payload, with the checksum that belongs to it.
    static func checked(payload: [UInt8]) throws -> String {
        let checksum = try Digest(of: (Array(prefix.utf8) + payload).span.bytes).bytes.prefix(4)
        return prefix + base32(payload + checksum)
    }

    private static func base32(_ bytes: [UInt8]) -> String {
        let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 5).map { start -> UInt8 in
            let five = bits[start..<min(start + 5, bits.count)]
            let value = five.reduce(0) { $0 << 1 | $1 } << UInt8(5 - five.count)
            return alphabet[Int(value)]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
