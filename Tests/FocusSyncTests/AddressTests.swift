import FocusSync
import Testing

@Suite struct AddressTests {
    @Test(
        "hosts and ports are told apart",
        arguments: [
            ("focus.example.org", "focus.example.org", nil), ("focus:7900", "focus", 7900),
            ("192.0.2.7:1", "192.0.2.7", 1), ("[2001:db8::1]:7853", "2001:db8::1", 7853),
            ("[::]", "::", nil), ("2001:db8::1", "2001:db8::1", nil),
        ] as [(String, String, UInt16?)])
    func addresses(_ text: String, _ host: String, _ port: UInt16?) {
        let address = Address(text)
        #expect(address?.host == host)
        #expect(address?.port == port)
    }

    @Test("an address that names no port leads to the usual one")
    func ports() {
        #expect(Address("focus.example.org")?.textWithPort == "focus.example.org:7853")
        #expect(Address("[2001:db8::1]:7900")?.textWithPort == "[2001:db8::1]:7900")
        #expect(Address("2001:db8::1")?.textWithPort == "[2001:db8::1]:7853")
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", ":7853", "host:", "host:port", "host:65536", "[::1", "[host]", "a b", "ho/st", "[::1]x",
        ])
    func others(_ text: String) {
        #expect(Address(text) == nil)
    }
}
