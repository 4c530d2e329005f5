import FocusCore
import Testing

@Suite struct HexadecimalTests {
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
