import Testing

@testable import FocusSeal

@Suite struct PaddingTests {
    @Test("a whole block is followed by a block of padding") func wholeBlock() {
        let padded = Padding.add(to: [UInt8](repeating: 0x80, count: 64))
        #expect(padded.count == 128)
        #expect(Array(padded.dropFirst(64)) == [0x80] + [UInt8](repeating: 0, count: 63))
    }

    @Test(
        "what is not padded as it should be is no padded text",
        arguments: [
            [], [0x80], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 1, count: 64),
            [0x80] + [UInt8](repeating: 0, count: 64), [0x80] + [UInt8](repeating: 0, count: 127),
        ])
    func malformed(_ bytes: [UInt8]) {
        #expect(Padding.remove(from: bytes) == nil)
    }
}
