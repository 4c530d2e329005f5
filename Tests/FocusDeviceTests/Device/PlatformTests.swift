import FocusCore
import FocusDevice
import FocusStore
import FocusText
import SQLiteKit
import Synchronization
import Testing

@Suite("A device's platform")
struct PlatformTests {
    @Test("names the folder of what a device puts away by its own day, and moves the key there")
    func leaving() throws {
        let moves = Mutex<[String]>([])
        let ahead = Duration.seconds(14 * 3600)
        let clocks = MachineClocks(
            wall: { SharedInstant(milliseconds: 1_763_661_600_000) }, sinceBoot: { .zero }, awake: { .zero },
            boot: { "boot" })
        let platform = Platform(
            clocks: clocks, hostName: { "desk" },
            zone: {
                Zone(calendar: .fixed(offset: ahead), clocks: LocalZone { _ in ahead }) { _ in
                    ZoneName(abbreviation: nil, offset: ahead)
                }
            },
            random: Platform.process.random, hasKey: { _ in true },
            archiveKey: { home, copy in moves.withLock { $0 += [home.data, copy.data] } })
        let store = try DeviceStore(path: "/focus/log.db", on: .virtual(VirtualDisk())) {
            ReplicaID(rawValue: 0xA)
        }
        let device = Device(Home(folder: "/focus"), store, platform)
        let epoch = StoredEpoch(id: EpochID(rawValue: 3), key: Array(0..<32), predecessor: nil)
        try store.enter(GroupID(high: 1, low: 2), epoch)
        _ = try device.perform(.start(label: nil))
        // It is still the 20th in UTC.
        #expect(try device.leave().data == "/focus/left-2025-11-21")
        #expect(moves.withLock { $0 } == ["/focus", "/focus/left-2025-11-21"])
    }
}
