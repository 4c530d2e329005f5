import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("Frames")
struct FrameDecoderTests {
    private let frames = [
        Frame(type: 4, body: []), Frame(type: 5, body: [1, 2, 3]),
        Frame(type: 0x22, body: [UInt8](repeating: 9, count: 70_000)),
    ]

    private var bytes: [UInt8] {
        frames.flatMap { frame in
            var bytes: [UInt8] = []
            bytes.appendBigEndian(UInt32(frame.body.count + 1))
            return bytes + [frame.type] + frame.body
        }
    }

    @Test("frames come out as they went in, however the bytes are cut", arguments: UInt64(1)...20)
    func anyCut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var decoder = FrameDecoder()
        var rest = bytes[...]
        var found: [Frame] = []
        while !rest.isEmpty {
            let length = seed == 1 ? 1 : Int.random(in: 1...rest.count, using: &random)
            decoder.append(rest.prefix(length))
            rest = rest.dropFirst(length)
            while let frame = try decoder.next() { found.append(frame) }
        }
        #expect(found == frames)
    }

    @Test("a frame beyond the limit is refused by its length alone")
    func tooLarge() throws {
        var decoder = FrameDecoder(limit: Limits.frameBeforeKnown)
        decoder.append([0, 0, 0x10, 0x01])
        #expect(throws: WireError.frameTooLarge(4097)) { try decoder.next() }
        var atLimit = FrameDecoder(limit: Limits.frameBeforeKnown)
        atLimit.append([0, 0, 0x10, 0x00] + [UInt8](repeating: 7, count: 4096))
        let frame = try atLimit.next()
        #expect(frame?.body.count == 4095)
    }

    @Test("a frame without a type is refused")
    func empty() {
        var decoder = FrameDecoder()
        decoder.append([0, 0, 0, 0])
        #expect(throws: WireError.emptyFrame) { try decoder.next() }
    }

    @Test("once all frames are taken, no memory is held", arguments: [1, 3, 1_000]) func idle(piece: Int)
        throws
    {
        var decoder = FrameDecoder()
        let frames: [UInt8] = [0, 0, 0, 3, 0x20, 1, 2, 0, 0, 0, 1, 0x21]
        for start in stride(from: 0, to: frames.count, by: piece) {
            decoder.append(frames[start..<min(frames.count, start + piece)])
            while try decoder.next() != nil {}
        }
        #expect(decoder.heldBytes == 0)
    }

    @Test("what comes in an array that has room for more takes no more than that") func spareRoom() {
        var decoder = FrameDecoder()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(10_000)
        bytes += [0, 0x10, 0, 0, 0x20] + [UInt8](repeating: 0, count: 1_000)
        decoder.append(bytes[...])
        #expect(decoder.heldBytes <= bytes.count + 4_096)
    }

    @Test("a frame that comes little by little takes no more memory than it will have, nor what follows it")
    func memory() throws {
        var decoder = FrameDecoder()
        let frame: [UInt8] = [0, 0x10, 0, 0, 0x20] + [UInt8](repeating: 0, count: 0x10_0000 - 1)
        for start in stride(from: 0, to: frame.count, by: 3_000) {
            #expect(try decoder.next() == nil)
            decoder.append(frame[start..<min(frame.count, start + 3_000)])
            #expect(decoder.heldBytes <= 2 * (start + 3_000) + 4_096)
            #expect(decoder.heldBytes <= frame.count + 4_096)
        }
        decoder.append([0, 0, 0])
        #expect(try decoder.next()?.body.count == 0x10_0000 - 1)
        #expect(try decoder.next() == nil)
        #expect(decoder.heldBytes <= 8_192)
    }
}
