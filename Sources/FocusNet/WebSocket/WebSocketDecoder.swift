/// A decoder of a client's WebSocket frames, which returns the content of its binary messages (RFC 6455 §5).
///
/// The content is one stream of bytes: the boundaries of frames and messages mean nothing. So messages may
/// have any length, and content is delivered before its frame is complete. Between two calls the decoder
/// holds at most 125 bytes, of an incomplete ping or close frame.
package struct WebSocketDecoder: Sendable {
    /// The longest content of one frame, in bytes. A longer frame ends the WebSocket with 1009. A client may
    /// send the longest frame of the protocol with its TLS records at once, and more such frames.
    package static let frameLimit: UInt64 = 4 << 20

    /// The result of a call to `decode`.
    package struct Decoded: Hashable, Sendable {
        /// The number of bytes of content, which are at the start of the buffer now.
        package fileprivate(set) var count = 0
        /// The frames for the client: pongs, and a close frame at the end. All replies together are at most
        /// 4 bytes longer than all bytes that have arrived.
        package fileprivate(set) var reply: [UInt8] = []
        /// The reason of the end, or nil if the WebSocket continues. After the end, nothing is decoded.
        package fileprivate(set) var end: WebSocketEnd?
    }

    /// The codes that a close frame may have (RFC 6455 §7.4, and IANA's registry of later ones).
    private static let closeCodes: [ClosedRange<UInt16>] = [1000...1003, 1007...1014, 3000...4999]

    /// The part of a frame that the next byte belongs to.
    private enum Step: Equatable {
        /// Flags and opcode.
        case first
        /// The bit for a mask, and a short length.
        case second
        /// A long length. `missing` bytes of it haven't arrived. It is `least` or more.
        case length(missing: Int, least: UInt64)
        /// The key of the mask. `missing` bytes of it haven't arrived.
        case key(missing: Int)
        case content
    }

    private var step = Step.first
    private var opcode = WebSocketOpcode.binary
    /// Whether the last data frame wasn't the last one of its message.
    private var isContinued = false
    /// The number of bytes of the frame's content that haven't arrived. In its header, the length so far.
    private var left: UInt64 = 0
    /// The key of the mask, big-endian. Its first byte is for the next byte of content.
    private var key: UInt32 = 0
    /// The content of a control frame.
    private var control: [UInt8] = []
    private var end: WebSocketEnd?

    /// Creates a decoder for a client that hasn't sent a frame yet.
    package init() {}

    /// Decodes bytes as they arrived. The content replaces them: it is unmasked and moved to the start of the
    /// buffer.
    package mutating func decode(_ bytes: UnsafeMutableRawBufferPointer) -> Decoded {
        var decoded = Decoded()
        var place = 0
        do throws(WebSocketViolation) {
            while place < bytes.count, end == nil {
                if step == .content {
                    let count = Int(min(UInt64(bytes.count - place), left))
                    let piece = bytes[place..<(place + count)]
                    unmask(piece, to: opcode.isControl ? place : decoded.count)
                    if opcode.isControl { control += piece } else { decoded.count += count }
                    place += count
                    left -= UInt64(count)
                } else {
                    try readHeader(bytes[place])
                    place += 1
                }
                if step == .content, left == 0 { try endFrame(&decoded) }
            }
        } catch {
            decoded.reply += WebSocketFrame.close(error.rawValue)
            end = .violation(error)
        }
        decoded.end = end
        return decoded
    }

    /// Reads a byte in front of a frame's content.
    private mutating func readHeader(_ byte: UInt8) throws(WebSocketViolation) {
        switch step {
        case .first: try readOpcode(byte)
        case .second:
            guard byte & 0x80 != 0 else { throw .protocolError }
            left = UInt64(byte & 0x7F)
            guard left < 126 || !opcode.isControl else { throw .protocolError }
            switch left {
            case 126: (left, step) = (0, .length(missing: 2, least: 126))
            case 127: (left, step) = (0, .length(missing: 8, least: 1 << 16))
            default: step = .key(missing: 4)
            }
        case .length(let missing, let least):
            left = left << 8 | UInt64(byte)
            step = missing > 1 ? .length(missing: missing - 1, least: least) : .key(missing: 4)
            guard missing == 1 else { return }
            // A length has the shortest of its forms, and 63 bits.
            guard left >= least, left >> 63 == 0 else { throw .protocolError }
            guard left <= WebSocketDecoder.frameLimit else { throw .messageTooBig }
        case .key(let missing):
            key = key << 8 | UInt32(byte)
            step = missing > 1 ? .key(missing: missing - 1) : .content
        case .content: break
        }
    }

    private mutating func readOpcode(_ byte: UInt8) throws(WebSocketViolation) {
        guard byte & 0x70 == 0, let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else {
            throw .protocolError
        }
        guard opcode != .text else { throw .unsupportedData }
        let isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { throw .protocolError }
        } else {
            guard isContinued == (opcode == .continuation) else { throw .protocolError }
            isContinued = !isFinal
        }
        self.opcode = opcode
        step = .second
    }

    /// Unmasks bytes of content and moves them to the place `target` of their buffer, which isn't after them.
    private mutating func unmask(_ piece: Slice<UnsafeMutableRawBufferPointer>, to target: Int) {
        let bytes = piece.base
        let half = UInt64(key.bigEndian)
        let word = half << 32 | half
        var place = 0
        while piece.count - place >= 8 {
            let masked = bytes.loadUnaligned(fromByteOffset: piece.startIndex + place, as: UInt64.self)
            bytes.storeBytes(of: masked ^ word, toByteOffset: target + place, as: UInt64.self)
            place += 8
        }
        while place < piece.count {
            let mask = UInt8(truncatingIfNeeded: key >> UInt32(24 - place % 4 * 8))
            bytes[target + place] = bytes[piece.startIndex + place] ^ mask
            place += 1
        }
        let used = UInt32(place % 4 * 8)
        key = key << used | key >> (32 - used)
    }

    /// Handles the end of a frame.
    private mutating func endFrame(_ decoded: inout Decoded) throws(WebSocketViolation) {
        step = .first
        switch opcode {
        case .ping: decoded.reply += WebSocketFrame.header(.pong, of: control.count) + control
        case .close:
            var code: UInt16?
            if !control.isEmpty {
                guard control.count >= 2 else { throw .protocolError }
                let sent = UInt16(control[0]) << 8 | UInt16(control[1])
                let isValid = WebSocketDecoder.closeCodes.contains { $0.contains(sent) }
                guard isValid else { throw .protocolError }
                code = sent
            }
            decoded.reply += WebSocketFrame.close(code)
            end = .closed
        case .continuation, .text, .binary, .pong: break
        }
        control = []
    }
}
