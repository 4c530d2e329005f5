import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("The laptop with the group's server")
struct ServerSettingTests {
    private let home = TemporaryHome()
    private let device: Device
    private let pin = ServerPin(Digest(InlineArray(repeating: 1)))
    private let sofa = Digest(InlineArray(repeating: 2))

    init() throws {
        device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        try device.enterGroup()
        try device.store.setServerPin(pin)
        try device.store.setDeviceKey(Digest(InlineArray(repeating: 3)))
        try device.record(.unreachable)
    }

    private func name() throws -> String? { try DeviceStatus(device).serverLaptop }

    /// Merges the words of the laptop sofa about itself and about the server. The counter is the second stamp's.
    private func merge(key: Digest?, server: Int64, counter: UInt16 = 1) throws {
        let now = try device.now()
        try device.merge(.device(name: "sofa", key: key?.hexadecimal), by: 0x21, at: now)
        try device.merge(
            .set(key: ServerSetting.name, value: server), by: 0x21, seq: 2, at: now, counter: counter)
    }

    @Test("it is named by its present name, if it is a member and means the server that this laptop knows")
    func naming() throws {
        #expect(try name() == nil)
        try merge(key: sofa, server: pin.key.beginning)
        #expect(try name() == "sofa")
        try device.merge(
            .device(name: "couch", key: sofa.hexadecimal), by: 0x22, at: device.now(), counter: 2)
        #expect(try name() == "couch")
        #expect(try DeviceList(device).entries.map(\.server) == [nil, .unreachable])
        try device.record(ConnectionState(.online))
        #expect(try name() == nil, "nobody asks while it is reached")
        #expect(try DeviceList(device).entries.map(\.server) == [nil, .reachable])
        try device.record(ConnectionState(.offline))
        try device.record(.shutDown)
        #expect(try DeviceList(device).entries.map(\.server) == [nil, .unreachable])
        try device.record(.unreachable)
        try device.rule([.revoke(sofa)])
        #expect(try name() == nil)
        #expect(try DeviceList(device).entries.map(\.server) == [nil, nil])
    }

    @Test("the list says that the server still runs on a laptop that has left the group")
    func left() throws {
        try merge(key: sofa, server: pin.key.beginning)
        try device.merge(.revoke(sofa), by: 0x21, seq: 3, at: device.now(), counter: 2)
        #expect(try DeviceList(device).entries.map(\.hasLeft) == [false, true])
        #expect(try DeviceList(device).entries.map(\.server) == [nil, .unreachable])
    }

    @Test("a device without a key, and a word about another server, name nobody")
    func unknown() throws {
        try merge(key: nil, server: pin.key.beginning)
        #expect(try name() == nil)
        #expect(try DeviceList(device).entries.map(\.server) == [nil, nil])
        try device.merge(.device(name: "desk", key: sofa.hexadecimal), by: 0x31, at: device.now())
        try device.merge(
            .set(key: ServerSetting.name, value: 7), by: 0x31, seq: 2, at: device.now(), counter: 2)
        #expect(try device.store.state().server?.key == 7)
        #expect(try name() == nil)
    }

    @Test("a laptop writes it once, takes back only its own word, and leaves the last press as it was")
    func writing() throws {
        _ = try device.perform(.start(label: "Write"))
        let last = try device.store.state().lastChange
        #expect(try !device.writeServer(isHere: false))
        #expect(try device.writeServer(isHere: true))
        #expect(try !device.writeServer(isHere: true))
        #expect(try name() == nil, "it is this laptop")
        #expect(try DeviceList(device).entries.map(\.server) == [.unreachable])
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 4))))
        #expect(try device.writeServer(isHere: true), "the server has another key")
        #expect(try device.writeServer(isHere: false))
        #expect(try device.store.state().server == nil)
        #expect(try device.store.state().lastChange == last)
        try merge(key: sofa, server: pin.key.beginning, counter: 100)
        #expect(try !device.writeServer(isHere: false))
        #expect(try device.store.state().server?.replica == ReplicaID(rawValue: 0x21))
    }
}
