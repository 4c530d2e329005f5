import TestSupport
import Testing

@testable import FocusNet

@Suite("The address of a client behind an HTTP proxy")
struct ForwardedAddressTests {
    private let proxy: [UInt8] = [127, 0, 0, 1]
    private let client: [UInt8] = [192, 0, 2, 7]
    private let client6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]

    private func address(
        _ headers: String..., from peer: [UInt8]? = nil, proxies: [String] = ["127.0.0.1"]
    ) -> [UInt8] {
        ForwardedAddress.client(
            of: peer ?? proxy, forwardedFor: headers, by: proxies.compactMap { AddressRange($0) })
    }

    @Test("the last address of the last header counts, because a client can forge those before it")
    func last() {
        #expect(address("192.0.2.7") == client)
        #expect(address("10.0.0.1, 10.0.0.2,192.0.2.7") == client)
        #expect(address("10.0.0.1", "10.0.0.2, 192.0.2.7") == client)
        #expect(address("garbage, \u{0}\u{1F600},, 192.0.2.7") == client)
        #expect(address("127.0.0.1", "127.0.0.1, 192.0.2.7") == client)
    }

    @Test("spaces, ports and brackets are no part of the address")
    func forms() {
        #expect(address("10.0.0.1 ,\t 192.0.2.7 \t") == client)
        #expect(address("192.0.2.7:4242") == client)
        #expect(address("2001:db8::7") == client6)
        #expect(address("2001:0DB8:0::7") == client6)
        #expect(address("[2001:db8::7]") == client6)
        #expect(address("[2001:db8::7]:4242") == client6)
        #expect(address("::ffff:192.0.2.7") == client)
        #expect(address("[::ffff:192.0.2.7]:4242") == client)
    }

    @Test(
        "a proxy that names no address counts as the client",
        arguments: [
            "", " ", ",", "192.0.2.7,", "192.0.2.7, ", "unknown", "_hidden", "localhost", "192.0.2",
            "192.0.2.256", "192.0.2.7:", "192.0.2.7:x", "192.0.2.7:65536", "192.0.2.7 10.0.0.1",
            "[192.0.2.7]", "[2001:db8::7", "2001:db8::7]", "[2001:db8::7]4242", "[]", "::1::", "fe80::1%lo",
            "[fe80::1%1]:80", "192.0.2.7\u{0}", "for=192.0.2.7", "\"192.0.2.7\"", "192.0.2.7;",
            "192.0.2.7/32",
        ])
    func garbage(header: String) {
        #expect(address(header) == proxy)
        #expect(address("192.0.2.7", header) == proxy)
    }

    @Test("only proxies are believed, in whichever form their addresses are written")
    func proxies() {
        #expect(address("192.0.2.7", from: [10, 0, 0, 1]) == [10, 0, 0, 1])
        #expect(address("192.0.2.7", proxies: []) == proxy)
        #expect(address() == proxy)
        #expect(address("192.0.2.7", from: [], proxies: ["0.0.0.0/0", "::/0"]) == [])
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1]
        #expect(address("192.0.2.7", from: mapped, proxies: ["10.0.0.0/8"]) == client)
        #expect(address("192.0.2.7", from: mapped, proxies: ["10.1.0.0/16"]) == [10, 0, 0, 1])
        #expect(address("192.0.2.7", from: client6, proxies: ["2001:db8::/32"]) == client)
        #expect(address("192.0.2.7", from: client6, proxies: ["2001:db9::/32"]) == client6)
    }

    @Test("random headers give an address of one of both lengths", arguments: UInt64(1)...20)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let characters = Array("0123456789abcdef::::....[]%, \t,x\u{E9}\u{0}")
        for _ in 0..<500 {
            let count = Int.random(in: 0...30, using: &random)
            let header = String((0..<count).map { _ in characters.randomElement(using: &random) ?? "0" })
            #expect([4, 16].contains(address(header).count), "\(header.debugDescription)")
        }
    }
}
