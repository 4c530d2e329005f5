import FocusCore
import Testing

@testable import FocusSeal

@Suite struct PaddingTests {
    @Test(
        "what is not padded as it should be is no padded text",
        arguments: [
            [], [0x80], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 1, count: 64),
            [0x80] + [UInt8](repeating: 0, count: 64), [0x80] + [UInt8](repeating: 0, count: 127),
        ])
    func malformed(_ bytes: [UInt8]) {
        #expect(Padding.remove(from: bytes) == nil)
    }

    @Test(
        "what isn't padded by the rule can't be read, though it was sealed with the right key",
        arguments: [
            // One block more than needed, no 0x80, another byte in its place, and a byte other than zero
            // after it.
            [1, 0x80] + [UInt8](repeating: 0, count: 126), [UInt8](repeating: 0, count: 64),
            [1, 0x01] + [UInt8](repeating: 0, count: 62), [1, 0x80] + [UInt8](repeating: 7, count: 62),
        ])
    func unreadable(_ padded: [UInt8]) throws {
        let key = try Vectors.key()
        let (id, stamp) = (Vectors.start.id, Vectors.start.stamp)
        func sealed(_ padded: [UInt8]) throws -> SealedEvent {
            let header = SealedEvent(id: id, stamp: stamp, epoch: key.epoch, body: [])
                .header(group: Vectors.group)
            let siv = try SIVKey(key.sealingKey(group: Vectors.group))
            let body = try siv.seal(padded.span.bytes, associated: [header])
            return SealedEvent(id: id, stamp: stamp, epoch: key.epoch, body: body)
        }
        #expect(code(try Vectors.sealer().plaintext(of: sealed(padded))) == .malformedPadding)
        let good = Padding.add(to: [1])
        #expect(try Vectors.sealer().plaintext(of: sealed(good)) == [1])
    }
}
