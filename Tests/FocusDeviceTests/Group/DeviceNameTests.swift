import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("What devices are called")
struct DeviceNameTests {
    private let home = TemporaryHome()

    @Test(
        "a device that wrote as several replicas has the name that it wrote last", arguments: [false, true])
    func newest(isReversed: Bool) throws {
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        let key = try #require(Digest(bytes: [UInt8](repeating: 7, count: Digest.length)))
        let replicas = [ReplicaID.a, .b]
        var script = LogScript()
        for (replica, name) in zip(isReversed ? replicas.reversed() : replicas, ["attic", "desk"]) {
            let time: SharedInstant = name == "attic" ? 1_763_661_500_000 : 1_763_661_550_000
            script.add(.device(name: name, key: key.hexadecimal), time, by: replica)
        }
        _ = try device.store.merge(
            script.events.map { StoredEvent($0, epoch: nil) }, acknowledged: true)
        let names = try DeviceNames(device.store)
        #expect(names[key].short == "desk")
        #expect(names[key].full == "desk (07070707)")
        #expect(try DeviceList(device).entries.contains { $0.key == key && $0.name == "desk" })
    }

    @Test("a device without a visible name is called by its key's digits")
    func unnamed() throws {
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        let key = try #require(Digest(bytes: [UInt8](repeating: 7, count: Digest.length)))
        var script = LogScript()
        script.add(.device(name: "", key: key.hexadecimal), 1_763_661_500_000)
        _ = try device.store.merge(
            script.events.map { StoredEvent($0, epoch: nil) }, acknowledged: true)
        #expect(try DeviceNames(device.store)[key].full == "07070707")
    }
}
