import TestSupport
import Testing

@testable import FocusNet

@Suite("A client's frames of a WebSocket")
struct WebSocketDecoderTests {
    /// The results of all calls for some bytes together.
    private struct Outcome: Hashable {
        var content: [UInt8] = []
        var reply: [UInt8] = []
        var end: WebSocketEnd?
    }

    /// Decodes bytes that arrive in pieces. `cut` chooses a piece's length from the number of bytes left.
    private func outcome(_ bytes: [UInt8], cut: (Int) -> Int = { $0 }) -> Outcome {
        var decoder = WebSocketDecoder()
        var outcome = Outcome()
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = [UInt8](rest.prefix(cut(rest.count)))
            rest = rest.dropFirst(piece.count)
            let decoded = piece.withUnsafeMutableBytes { decoder.decode($0) }
            outcome.content += piece.prefix(decoded.count)
            outcome.reply += decoded.reply
            outcome.end = decoded.end
        }
        return outcome
    }

    private func frame(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
        HTTPClient.masked(content, first: first)
    }

    private let hello = Array("Hello".utf8)

    @Test("RFC 6455's masked examples are decoded, and its unmasked ones refused")
    func examples() {
        let masked: [UInt8] = [0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(outcome([0x82, 0x85] + masked) == Outcome(content: hello))
        #expect(outcome([0x89, 0x85] + masked) == Outcome(reply: [0x8A, 0x05] + hello))
        #expect(outcome([0x8A, 0x85] + masked) == Outcome())
        #expect(outcome([0x81, 0x85] + masked).end == .violation(.unsupportedData))
        #expect(outcome([0x81, 0x05] + hello).end == .violation(.unsupportedData))
        #expect(outcome([0x82, 0x05] + hello).end == .violation(.protocolError))
        #expect(outcome([0x89, 0x05] + hello).end == .violation(.protocolError))
    }

    @Test("contents of every form of length arrive, and a message in several frames with a ping in between")
    func lengths() {
        for count in [0, 1, 7, 8, 9, 125, 126, 127, 65_535, 65_536, 70_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let bytes = frame(0x82, content)
            #expect(outcome(bytes) == Outcome(content: content), "\(count) bytes")
            let pieced = outcome(bytes) { min($0, 13) }
            #expect(pieced == Outcome(content: content), "\(count) bytes in pieces of 13")
        }
        let bytes =
            frame(0x02, [1, 2]) + frame(0x89, hello) + frame(0x00, []) + frame(0x00, [3])
            + frame(0x80, [4]) + frame(0x82, [5])
        #expect(outcome(bytes) == Outcome(content: [1, 2, 3, 4, 5], reply: [0x8A, 0x05] + hello))
    }

    @Test("however the bytes are cut, content, replies and the end are the same", arguments: UInt64(1)...40)
    func anyCut(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (bytes, expected) = ([UInt8](), Outcome())
        var isContinued = false
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let most = [3, 40, 125, 300, 2_000].randomElement(using: &random) ?? 0
            var content = (0..<Int.random(in: 0...most, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                content = [UInt8](content.prefix(125))
                let isPing = Bool.random(using: &random)
                bytes += HTTPClient.masked(content, first: isPing ? 0x89 : 0x8A, key: key)
                if isPing { expected.reply += [0x8A, UInt8(content.count)] + content }
            } else {
                let isFinal = Bool.random(using: &random)
                let first: UInt8 = (isFinal ? 0x80 : 0) | (isContinued ? 0 : 2)
                bytes += HTTPClient.masked(content, first: first, key: key)
                isContinued = !isFinal
                expected.content += content
            }
        }
        switch seed % 3 {
        case 0:
            bytes += frame(0x88, [0x03, 0xE8] + hello)
            expected.reply += [0x88, 0x02, 0x03, 0xE8]
            expected.end = .closed
        case 1:
            bytes += [0xC2, 0x80]
            expected.reply += [0x88, 0x02, 0x03, 0xEA]
            expected.end = .violation(.protocolError)
        default: break
        }
        let inLongPieces = outcome(bytes) { Int.random(in: 1...$0, using: &random) }
        let inShortPieces = outcome(bytes) { min($0, Int.random(in: 1...9, using: &random)) }
        let byByte = outcome(bytes) { _ in 1 }
        #expect(outcome(bytes) == expected)
        #expect([inLongPieces, inShortPieces, byByte] == [expected, expected, expected])
    }

    @Test(
        "a frame that breaks a rule ends the WebSocket with the rule's code",
        arguments: [
            // Reserved bits and opcodes.
            ([0xC2], .protocolError), ([0xA2], .protocolError), ([0x92], .protocolError),
            ([0x83], .protocolError), ([0x87], .protocolError), ([0x8B], .protocolError),
            ([0x8F], .protocolError),
            // Text.
            ([0x81], .unsupportedData), ([0x01], .unsupportedData),
            // A continuation of nothing, and a control frame in pieces.
            ([0x80], .protocolError), ([0x00], .protocolError), ([0x09], .protocolError),
            ([0x08], .protocolError),
            // No mask.
            ([0x82, 0x00], .protocolError), ([0x82, 0x7F], .protocolError),
            // Long control frames.
            ([0x89, 0xFE], .protocolError), ([0x88, 0xFF], .protocolError),
            // Lengths in more bytes than needed, with a 64th bit, or beyond the limit.
            ([0x82, 0xFE, 0, 125], .protocolError),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .protocolError),
            ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .protocolError),
            ([0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .protocolError),
            ([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .messageTooBig),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 0x40, 0, 1], .messageTooBig),
        ] as [([UInt8], WebSocketViolation)])
    func violations(bytes: [UInt8], violation: WebSocketViolation) {
        let close = [0x88, 0x02, 0x03, UInt8(violation.rawValue & 0xFF)]
        let expected = Outcome(content: [9], reply: close, end: .violation(violation))
        #expect(outcome(frame(0x82, [9]) + bytes + [UInt8](repeating: 0, count: 20)) == expected)
        // The last byte decides.
        #expect(outcome(frame(0x82, [9]) + bytes.dropLast()) == Outcome(content: [9]))
    }

    @Test("a second message can't begin before the first has ended")
    func interleaved() {
        #expect(outcome(frame(0x02, [1]) + [0x82]).end == .violation(.protocolError))
        #expect(outcome(frame(0x02, [1]) + frame(0x80, [2]) + [0x80]).end == .violation(.protocolError))
    }

    @Test("a frame of the greatest length is decoded, though nothing of it is held")
    func greatest() {
        let header: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0, 0x40, 0, 0] + [0, 0, 0, 0]
        let content = [UInt8](repeating: 7, count: 4 << 20)
        let found = outcome(header + content) { min($0, 65_536) }
        #expect(found == Outcome(content: content))
    }

    @Test("a close frame is answered with its code, and nothing after it counts")
    func closing() {
        let after = frame(0x82, [1]) + frame(0x89, [2])
        #expect(outcome(frame(0x88, []) + after) == Outcome(reply: [0x88, 0x00], end: .closed))
        for code in [1000, 1003, 1007, 1014, 3000, 4999] as [UInt16] {
            let bytes = [UInt8(code >> 8), UInt8(code & 0xFF)]
            let expected = Outcome(reply: [0x88, 0x02] + bytes, end: .closed)
            #expect(outcome(frame(0x88, bytes + hello) + after) == expected, "\(code)")
        }
        #expect(outcome(frame(0x88, [3]) + after).end == .violation(.protocolError))
        for code in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535] as [UInt16] {
            let bytes = frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(outcome(bytes + after).end == .violation(.protocolError), "\(code)")
        }
    }

    @Test("random bytes never crash the decoder, nor become many", arguments: UInt64(1)...50)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let first = [0x82, 0x02, 0x80, 0x89, 0x88].randomElement(using: &random) ?? 0x82
            let rest = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let bytes = [UInt8(first), 0x80 | (rest.first ?? 0)] + rest
            let found = outcome(bytes)
            #expect(found.content.count + found.reply.count <= bytes.count + 4)
            let pieced = outcome(bytes) { Int.random(in: 1...$0, using: &random) }
            #expect(pieced == found)
        }
    }
}

@Suite("The server's frames of a WebSocket")
struct WebSocketFrameTests {
    @Test("RFC 6455's lengths are encoded as it says, and without a mask")
    func lengths() {
        #expect(WebSocketFrame.binaryHeader(of: 0) == [0x82, 0])
        #expect(WebSocketFrame.binaryHeader(of: 125) == [0x82, 125])
        #expect(WebSocketFrame.binaryHeader(of: 126) == [0x82, 126, 0, 126])
        #expect(WebSocketFrame.binaryHeader(of: 256) == [0x82, 0x7E, 0x01, 0x00])
        #expect(WebSocketFrame.binaryHeader(of: 65_535) == [0x82, 126, 0xFF, 0xFF])
        #expect(WebSocketFrame.binaryHeader(of: 65_536) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
    }

    @Test("a close frame has the code, or none")
    func closing() {
        #expect(WebSocketFrame.close(nil) == [0x88, 0])
        #expect(WebSocketFrame.close(WebSocketFrame.normalClosure) == [0x88, 2, 0x03, 0xE8])
    }

    @Test("RFC 6455's key is answered as it says, and only the base64 of 16 bytes is a key")
    func keys() throws {
        #expect(try WebSocketKey.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        for key in [
            "", "==", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZQ===",
            "dGhlIHNhbXBsZSBub25-ZQ==", "dGhlIHNhbXBsZSBub25=ZQ==", "dGhlIHNhbXBsZSBub25jZQAAAA==",
            "dGhlIHNhbXBsZSBub25jZ\u{E9}==",
        ] {
            #expect(try WebSocketKey.accept(key) == nil, "\(key)")
        }
    }
}
