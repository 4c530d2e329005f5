import FocusCore
import TestSupport
import Testing

@Suite("Digests")
struct DigestTests {
    @Test("a digest has the bytes that it was made of, in their order, and no other number of them")
    func bytes() throws {
        let counted = (0..<32).map { UInt8($0 * 8 + 1) }
        let digest = try #require(Digest(bytes: counted))
        #expect(digest.bytes == counted)
        #expect(Digest(hexadecimal: digest.hexadecimal) == digest)
        #expect(digest.hexadecimal.hasPrefix("0109111921"))
        #expect(Digest(bytes: counted + [0]) == nil)
        #expect(Digest(bytes: Array(counted.dropLast())) == nil)
    }

    @Test("digests are ordered as their bytes are, whichever byte it is that differs")
    func order() throws {
        var random = SeededGenerator(seed: 7)
        for place in 0..<32 {
            var low = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            low[place] = 0x7F
            var high = low
            high[place] = 0x80
            for after in 0..<32 where after > place { (low[after], high[after]) = (255, 0) }
            let one = try #require(Digest(bytes: low))
            let other = try #require(Digest(bytes: high))
            #expect(one.precedes(other))
            #expect(!other.precedes(one))
            #expect(!one.precedes(one))
            #expect(one != other)
        }
    }
}
