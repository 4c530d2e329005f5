import Testing

@testable import FocusNet

@Suite("This machine's own addresses")
struct OwnAddressesTests {
    @Test("'auto' stands for them, with its port, and each address is named once")
    func expanding() {
        let own = ["desk.local", "192.0.2.7", "2001:db8::1"]
        func expanded(_ addresses: [String], limit: Int = 8) -> [String] {
            OwnAddresses.expanded(addresses, limit: limit) { own }
        }
        #expect(expanded(["auto"]) == own)
        #expect(expanded(["auto:7853"]) == own)
        #expect(expanded(["auto:7900"]) == ["desk.local:7900", "192.0.2.7:7900", "[2001:db8::1]:7900"])
        #expect(expanded(["192.0.2.7", "auto"]) == ["192.0.2.7", "desk.local", "2001:db8::1"])
        #expect(expanded(["auto", "focus.example.org"], limit: 2) == ["desk.local", "192.0.2.7"])
        #expect(OwnAddresses.areNamed(in: ["focus.example.org", "auto:7900"]))
        #expect(!OwnAddresses.areNamed(in: ["auto.example.org"]))
    }

    @Test("the first list that is found is announced at once, another one if it is found twice in a row")
    func twice() {
        var list = OwnAddressList()
        let (home, work) = (["desk.local", "192.0.2.7"], ["desk.local", "198.51.100.7"])
        let found = [home, home, work, home, work, work, work, [], [], home, [], home, home]
        let announced = found.filter { list.update(with: $0) }
        #expect(announced == [home, work, home])
    }

    @Test("an announced name with .local stays until a number changes too")
    func lostName() {
        var list = OwnAddressList()
        let (named, bare) = (["desk.local:7900", "192.0.2.7:7900"], ["192.0.2.7:7900"])
        let other = ["198.51.100.7:7900"]
        let found = [named, bare, bare, named, named, bare, bare, other, other]
        let announced = found.filter { list.update(with: $0) }
        #expect(announced == [named, other])
        // A name that is found again is worth a new connection.
        var late = OwnAddressList()
        let lateAnnounced = [bare, named, named].filter { late.update(with: $0) }
        #expect(lateAnnounced == [bare, named])
    }

    @Test("other machines can't reach a loopback or link-local host")
    func reach() {
        for host in ["127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "169.254.1.1"] {
            #expect(HostReach(host) == .thisMachine, "\(host)")
        }
        for host in ["192.0.2.7", "2001:db8::1"] { #expect(HostReach(host) == .others, "\(host)") }
    }

    @Test("addresses that stand for anything else aren't replaced, and nothing is looked up for them")
    func others() {
        let kept = OwnAddresses.expanded(["focus.example.org", "a"], limit: 8) {
            Issue.record("looked up")
            return []
        }
        #expect(kept == ["focus.example.org", "a"])
    }

    /// An IPv6 address of these first bytes, zeros, and a last byte.
    private static func six(_ first: UInt8, _ second: UInt8, _ last: UInt8) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        (bytes[0], bytes[1], bytes[15]) = (first, second, last)
        return bytes
    }

    @Test("loopback and link-local addresses are left out, private ones aren't")
    func reachable() {
        let reachable: [[UInt8]] = [
            [192, 168, 1, 2], [10, 0, 0, 1], Self.six(0xFD, 0, 1), Self.six(0x20, 1, 1),
        ]
        let others: [[UInt8]] = [
            [127, 0, 0, 1], [0, 0, 0, 0], [169, 254, 1, 1], [], Self.six(0xFE, 0x80, 1), Self.six(0, 0, 1),
            Self.six(0, 0, 0),
        ]
        #expect(reachable.filter { !OwnAddresses.isReachable($0) } == [])
        #expect(others.filter(OwnAddresses.isReachable) == [])
    }
}
