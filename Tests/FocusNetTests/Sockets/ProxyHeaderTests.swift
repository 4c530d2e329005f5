import TestSupport
import Testing

@testable import FocusNet

@Suite("What a proxy says first")
struct ProxyHeaderTests {
    private func client(_ bytes: [UInt8]) -> String? {
        if case .client(let address) = ProxyHeader(bytes) { address.description } else { nil }
    }

    private func isOwn(_ bytes: [UInt8]) -> Bool {
        if case .own = ProxyHeader(bytes) { true } else { false }
    }

    @Test("a client's address is read, of either family, whatever stands behind it")
    func clients() {
        #expect(client(ProxyBytes.client) == "192.0.2.7:4242")
        #expect(client(ProxyBytes.client6) == "[2001:db8::7]:4242")
    }

    @Test("a connection of the proxy's own is told apart, and one of which it doesn't know whose it is")
    func own() {
        #expect(isOwn(ProxyBytes.own))
        #expect(isOwn(ProxyBytes.header(0x20, 0x11, [UInt8](repeating: 0, count: 12))))
        #expect(isOwn(ProxyBytes.header(0x21, 0x00, [1, 2, 3])))
    }

    @Test("another version, command, family or transport is refused, and addresses that aren't all there")
    func others() {
        let addresses = [UInt8](repeating: 1, count: 12)
        for (command, family) in [
            (0x11, 0x11), (0x31, 0x11), (0x22, 0x11), (0x21, 0x12), (0x21, 0x31), (0x21, 0xFF),
        ]
            as [(UInt8, UInt8)]
        {
            #expect(ProxyHeader(ProxyBytes.header(command, family, addresses)) == nil, "\(command) \(family)")
        }
        #expect(ProxyHeader(ProxyBytes.header(0x21, 0x11, [UInt8](addresses.dropLast()))) == nil)
        #expect(ProxyHeader(ProxyBytes.header(0x21, 0x21, [UInt8](repeating: 1, count: 35))) == nil)
    }

    @Test(
        "every header that is cut off, goes on or has one other byte at its beginning is refused or read, and nothing else"
    )
    func damaged() {
        for whole in [ProxyBytes.client, ProxyBytes.client6, ProxyBytes.own] {
            for count in 0..<whole.count { #expect(ProxyHeader([UInt8](whole.prefix(count))) == nil) }
            #expect(ProxyHeader(whole + [0]) == nil)
            for place in 0..<12 {
                var bytes = whole
                bytes[place] ^= 1
                #expect(ProxyHeader(bytes) == nil)
                #expect(ProxyHeader.length(fromStart: [UInt8](bytes.prefix(16))) == nil)
            }
        }
        #expect(ProxyHeader.length(fromStart: ProxyBytes.signature + [0x21, 0x11, 0xFF, 0xFF]) == nil)
        #expect(ProxyHeader.length(fromStart: ProxyBytes.signature + [0x21, 0x11, 0x00, 0x0C]) == 28)
    }
}
