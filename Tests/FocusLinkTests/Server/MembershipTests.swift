import ClientSupport
import FocusCore
import FocusDevice
import FocusLink
import FocusNet
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("What a laptop knows of its group's server")
struct MembershipTests {
    private let home = TemporaryHome()
    private let key = Digest(InlineArray(repeating: 3))

    private func device() throws -> Device {
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(context.machine)
        try StagedServer(VirtualTime(context)).admit(device)
        return device
    }

    private func welcome(_ addresses: [String], nextKey: Digest? = nil) -> Welcome {
        Welcome(
            group: StagedServer.group, vector: VersionVector(), latest: .zero, roster: [], epochs: [],
            presence: [],
            nextServerKey: nextKey, addresses: addresses)
    }

    private func server(_ device: Device) throws -> ServerAddress {
        try #require(try Membership(device)).server
    }

    @Test("announced addresses come first, and those before are tried last")
    func announced() throws {
        let device = try device()
        try device.store.learnServer(from: welcome(["new.example:7900", "192.0.2.7"]), showing: key)
        #expect(try server(device).addresses == ["new.example:7900", "192.0.2.7"])
        #expect(
            try server(device).endpoints == [
                .tcp(host: "new.example", port: 7900), .tcp(host: "192.0.2.7", port: 7853),
                .tcp(host: "server.example", port: 7853),
            ])
        // A former address that is announced again is tried once.
        try device.store.learnServer(from: welcome(["server.example"]), showing: key)
        #expect(try server(device).addresses == ["server.example"])
        #expect(try server(device).former == ["new.example:7900", "192.0.2.7"])
    }

    @Test(
        "a list without an address that can be read changes nothing",
        arguments: [[], ["a b"], ["host:0"], ["host:port", "x\ny"]])
    func unreadable(addresses: [String]) throws {
        let device = try device()
        try device.store.learnServer(from: welcome(addresses), showing: key)
        #expect(try server(device).addresses == ["server.example"])
        #expect(try server(device).former == [])
    }

    @Test("no more than 8 former addresses are kept")
    func bounded() throws {
        let device = try device()
        for number in 1...20 {
            try device.store.learnServer(from: welcome(["\(number).example"]), showing: key)
        }
        #expect(try server(device).former == (12...19).reversed().map { "\($0).example" })
    }

    @Test("a server whose key the laptop no longer trusts changes neither key nor addresses")
    func formerKey() throws {
        let device = try device()
        let other = Digest(InlineArray(repeating: 4))
        try device.store.learnServer(from: welcome(["evil.example"], nextKey: other), showing: other)
        #expect(try server(device).addresses == ["server.example"])
        #expect(try server(device).pin == ServerPin(key))
    }
}
