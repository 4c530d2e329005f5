/// The frames that a server sends over a WebSocket: each is a whole message, without a mask.
package enum WebSocketFrame {
    /// The code of a close frame after the connection has served its purpose.
    package static let normalClosure: UInt16 = 1000
    /// The code of a close frame after TLS has failed: the frames were right, and their content wasn't.
    package static let policyViolation: UInt16 = 1008

    /// Returns the bytes to send in front of `count` bytes of content.
    package static func binaryHeader(of count: Int) -> [UInt8] { header(.binary, of: count) }

    /// Returns a close frame with this code, or without one.
    package static func close(_ code: UInt16?) -> [UInt8] {
        guard let code else { return header(.close, of: 0) }
        return header(.close, of: 2) + [UInt8(code >> 8), UInt8(code & 0xFF)]
    }

    static func header(_ opcode: WebSocketOpcode, of count: Int) -> [UInt8] {
        let length = withUnsafeBytes(of: UInt64(clamping: count).bigEndian) { Array($0) }
        let first = 0x80 | opcode.rawValue
        return switch count {
        case ..<126: [first] + length.suffix(1)
        case ..<(1 << 16): [first, 126] + length.suffix(2)
        default: [first, 127] + length
        }
    }
}

/// The kind of a WebSocket's frame (RFC 6455 §11.8).
enum WebSocketOpcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether the frame is no part of a message.
    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The reason why a WebSocket has ended.
package enum WebSocketEnd: Hashable, Sendable {
    /// The client has sent a close frame.
    case closed
    /// The client has violated the protocol.
    case violation(WebSocketViolation)
}

/// A violation of the rules for a client's frames. The number is the code of the close frame for it (RFC 6455
/// §7.4.1).
package enum WebSocketViolation: UInt16, Error, Hashable, Sendable {
    /// A frame that RFC 6455 doesn't allow.
    case protocolError = 1002
    /// Text; only binary messages are understood.
    case unsupportedData = 1003
    /// A frame of more than `WebSocketDecoder.frameLimit` bytes.
    case messageTooBig = 1009
}
