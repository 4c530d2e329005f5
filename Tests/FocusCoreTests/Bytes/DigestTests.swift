import FocusCore
import TestSupport
import Testing

@Suite("Digests, fingerprints and digits")
struct DigestTests {
    @Test("a digest has the bytes that it was made of, in their order, and no other number of them")
    func digestBytes() throws {
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

    @Test(
        "they are the published ones of FNV-1a",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func published(text: String, expected: UInt64) {
        var fingerprint = Fingerprint()
        fingerprint.add(text.utf8)
        #expect(fingerprint.value == expected)
    }

    @Test("where a text ends makes a difference")
    func ends() {
        func fingerprint(_ texts: String...) -> Fingerprint {
            var fingerprint = Fingerprint()
            for text in texts { fingerprint.add(text) }
            return fingerprint
        }
        #expect(fingerprint("ab", "c") != fingerprint("a", "bc"))
        #expect(fingerprint("a", "") != fingerprint("a"))
    }

    @Test("bytes are two lower-case digits each, and read back in either case")
    func bytesAsDigits() {
        #expect(hexadecimal([0x00, 0x0A, 0xFF]) == "000aff")
        #expect(bytes(hexadecimal: "000aFf") == [0x00, 0x0A, 0xFF])
        #expect(bytes(hexadecimal: "") == [])
    }

    @Test("an integer is always 16 digits", arguments: [(0, "0000000000000000"), (.max, "ffffffffffffffff")])
    func integers(_ value: UInt64, _ text: String) {
        #expect(hexadecimal(value) == text)
    }

    @Test("what is not hexadecimal is no bytes", arguments: ["0", "0g", "0x00", " 00", "é0"])
    func others(_ text: String) {
        #expect(bytes(hexadecimal: text) == nil)
    }
}
