import ClientSupport
import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@testable import FocusDevice

@Suite("What a device knows")
struct DeviceStatusTests {
    private let home = TemporaryHome()

    @Test("is of one moment of its log, read in one transaction")
    func oneTransaction() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000, hostName: "desk")
        let disk = VirtualDisk()
        let store = try DeviceStore(path: "/log.db", on: .virtual(disk)) { ReplicaID(rawValue: 0xA) }
        let device = Device(
            try Home(laptop.machine.environment), store, clocks: laptop.machine.clocks, hostName: { "desk" })
        try store.enter(
            GroupID(high: 1, low: 2),
            StoredEpoch(id: EpochID(rawValue: 3), key: Array(0..<32), predecessor: nil))
        _ = try device.perform(.start(label: "Write"))
        let counter = LockCounter()
        counter.count(on: disk)
        let status = try DeviceStatus(device)
        #expect(status.device == "desk" && status.group != nil && status.pending > 0)
        #expect(counter.locks <= 2, "locked \(counter.locks) times")
    }
}
