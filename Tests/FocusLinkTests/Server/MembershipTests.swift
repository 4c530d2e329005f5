import ClientSupport
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("What a laptop knows of its group's server")
struct MembershipTests {
    private let home = TemporaryHome()
    private let key = Digest(InlineArray(repeating: 3))

    private let invite = ["server.example", "198.51.100.1"]

    /// Returns a laptop that has joined by the invite.
    private func device() throws -> Device {
        let context = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(context.machine)
        try StagedServer(VirtualTime(context)).admit(device)
        for key in [StoredValueKey.servers, .fallbackServers] {
            try device.store.setText(invite.joined(separator: "\n"), for: key)
        }
        return device
    }

    private func welcome(_ addresses: [String], nextKey: Digest? = nil) -> Welcome {
        Welcome(
            group: StagedServer.group, vector: VersionVector(), latest: .zero, roster: [], epochs: [],
            presence: [],
            nextServerKey: nextKey, addresses: addresses)
    }

    /// Lets the laptop reach its server at `host`, and hear of these addresses there.
    private func announce(_ addresses: [String], at host: String, to device: Device) throws {
        try device.store.learnServer(from: welcome(addresses), showing: key, at: "\(host):7853")
    }

    private func server(_ device: Device) throws -> ServerAddress {
        try #require(try Membership(device)).server
    }

    @Test("announced addresses come first, then those at which the server was reached, then the invite's")
    func announced() throws {
        let device = try device()
        try announce(["new.example:7900", "192.0.2.7"], at: "server.example", to: device)
        try announce(["new.example:7900", "192.0.2.7"], at: "192.0.2.7", to: device)
        #expect(try server(device).addresses == ["new.example:7900", "192.0.2.7"])
        #expect(try server(device).fallback == ["192.0.2.7"] + invite)
        // Each is tried once.
        #expect(
            try server(device).parsed.map(\.textWithPort) == [
                "new.example:7900", "192.0.2.7:7853", "server.example:7853", "198.51.100.1:7853",
            ])
        try announce([], at: "198.51.100.1", to: device)
        #expect(try server(device).fallback == ["198.51.100.1", "192.0.2.7", "server.example"])
    }

    @Test("an invite leads to the laptop's server if it has the server's key and no unknown address")
    func sameServer() throws {
        let membership = try #require(try Membership(device()))
        func isSame(_ addresses: [String], _ key: Digest) throws -> Bool {
            membership.isAtServer(
                of: try Invite(
                    kind: .bringGroup, addresses: addresses, server: ServerPin(key), secret: .random()))
        }
        #expect(try isSame(["198.51.100.1"], key))
        #expect(try !isSame(["198.51.100.1", "new.example"], key))
        #expect(try !isSame(invite, Digest(InlineArray(repeating: 4))))
    }

    @Test("however many false addresses a server announces, those that led to it stay")
    func falseAddresses() throws {
        let device = try device()
        try announce(["192.0.2.7"], at: "server.example", to: device)
        for round in 1...5 {
            try announce((1...8).map { "false-\(round)-\($0).example" }, at: "192.0.2.7", to: device)
        }
        #expect(try server(device).fallback == ["192.0.2.7"] + invite)
        #expect(try server(device).parsed.count == 11)
    }

    @Test("an address that the laptop has from elsewhere becomes no fallback")
    func unknown() throws {
        let device = try device()
        try announce([], at: "127.0.0.1", to: device)
        #expect(try server(device).fallback == invite)
    }

    @Test(
        "a list without an address that can be read changes nothing",
        arguments: [[], ["a b"], ["host:0"], ["host:port", "x\ny"], ["https://focus.example"]])
    func unreadable(addresses: [String]) throws {
        let device = try device()
        try announce(addresses, at: "server.example", to: device)
        #expect(try server(device).addresses == invite)
        #expect(try server(device).fallback == invite)
        #expect(try Membership(device)?.page == nil)
    }

    @Test("an announced page for browsers is no address of the server, and isn't in invites")
    func page() throws {
        let device = try device()
        try announce(
            ["https://focus.example", "new.example", "https://other.example"], at: "server.example",
            to: device)
        let membership = try #require(try Membership(device))
        #expect(membership.page == WebAddress("https://focus.example"))
        #expect(membership.server.addresses == ["new.example"])
        #expect(membership.server.parsed.map(\.host) == ["new.example", "server.example", "198.51.100.1"])
        let secret = try InviteSecret.random()
        #expect(try membership.invite(secret).addresses == ["new.example"])
        let published = PublishedInvite(text: "lockstep1-a", page: membership.page, notices: [])
        #expect(published.link == "https://focus.example/#lockstep1-a")
        try announce(["new.example"], at: "server.example", to: device)
        #expect(try Membership(device)?.page == nil)
    }

    @Test("no more than 8 fallback addresses are kept, the last ones")
    func bounded() throws {
        let device = try device()
        try announce(["1.example"], at: "server.example", to: device)
        for number in 2...20 {
            try announce(["\(number).example"], at: "\(number - 1).example", to: device)
        }
        #expect(try server(device).fallback == (12...19).reversed().map { "\($0).example" })
    }

    @Test("a server whose key the laptop no longer trusts changes neither key nor addresses")
    func formerKey() throws {
        let device = try device()
        let other = Digest(InlineArray(repeating: 4))
        try device.store.learnServer(
            from: welcome(["evil.example"], nextKey: other), showing: other, at: "198.51.100.1:7853")
        #expect(try server(device).addresses == invite)
        #expect(try server(device).fallback == invite)
        #expect(try server(device).pin == ServerPin(key))
    }
}
