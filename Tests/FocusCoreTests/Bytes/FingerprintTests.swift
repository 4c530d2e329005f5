import FocusCore
import Testing

@Suite("Fingerprints")
struct FingerprintTests {
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
}
