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

    @Test("a page's address is https, a host and perhaps a port, and makes a link of an invite")
    func pages() {
        for text in ["https://focus.example", "https://192.0.2.7:8443", "https://[2001:db8::1]"] {
            #expect(WebAddress(text)?.link(to: "lockstep1-a") == "\(text)/#lockstep1-a")
            #expect(Address(text) == nil)
        }
        for text in [
            "http://focus.example", "focus.example", "https://", "https://a/b", "https://a:0", "https://a b",
            "https://2001:db8::1", "https://[fe80::1%eth0]", "https://a#b", "https://me@a", "https://a\nb",
            "https://a:+443", "https://a:443/", "https://me:word@a", "https://a\\b", "https://a?b",
            "HTTPS://a",
            "https://b\u{FC}cher.example", "https://a\u{202E}b", "https://a\u{7}b", "javascript:a",
            "https://a:",
            "https://\(String(repeating: "a", count: 248))",
        ] {
            #expect(WebAddress(text) == nil, "\(text)")
        }
    }
}
