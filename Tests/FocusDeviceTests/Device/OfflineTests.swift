import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("Whether a device is cut off")
struct OfflineTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000) }

    private func device(inGroup: Bool) throws -> Device {
        let device = try Device(laptop.machine)
        if inGroup {
            let epoch = StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil)
            try device.store.enter(GroupID(high: 1, low: 2), epoch)
        }
        return device
    }

    @Test("a laptop in no group is never cut off")
    func alone() throws {
        #expect(try !device(inGroup: false).isOffline(by: device(inGroup: false).clock()))
    }

    @Test("in a group it is cut off, unless it is connected and heard the server in the last 30 seconds")
    func inGroup() throws {
        let device = try device(inGroup: true)
        #expect(try device.isOffline(by: device.clock()))
        try device.recordContact()
        #expect(try device.isOffline(by: device.clock()), "an agent that doesn't run is not connected")
        try device.record(ConnectionState(.online))
        #expect(try !device.isOffline(by: device.clock()))
        laptop.pass(.milliseconds(29_999))
        #expect(try !device.isOffline(by: device.clock()))
        laptop.pass(.milliseconds(1))
        #expect(try device.isOffline(by: device.clock()))
    }

    @Test(
        "it is cut off once the connection ends", arguments: [GroupStatus.Connection.connecting, .offline])
    func noLink(connection: GroupStatus.Connection) throws {
        let device = try device(inGroup: true)
        try device.recordContact()
        try device.record(ConnectionState(connection))
        #expect(try device.isOffline(by: device.clock()))
    }

    @Test("setting the wall clock changes nothing, and a restart ends the connection")
    func clocks() throws {
        let device = try device(inGroup: true)
        try device.recordContact()
        try device.record(ConnectionState(.online))
        laptop.set { $0.wall += 3_600_000 }
        #expect(try !device.isOffline(by: device.clock()))
        laptop.set { $0.boot = "boot-2" }
        #expect(try device.isOffline(by: device.clock()))
        laptop.set { $0.wall -= 3_600_000 - 29_000 }
        #expect(try device.link() == ConnectionState(.offline))
        #expect(try device.isOffline(by: device.clock()))
        try device.record(ConnectionState(.online))
        #expect(try !device.isOffline(by: device.clock()))
        laptop.set { $0.wall -= 30_000 }
        #expect(try device.isOffline(by: device.clock()), "what lies ahead says nothing")
    }

    @Test("a start records whether the device is cut off")
    func start() throws {
        let device = try device(inGroup: true)
        func isOffline(_ performed: InteractionResult) -> Bool? {
            guard case .start(let start)? = performed.events.last?.action else { return nil }
            return start.offline
        }
        #expect(isOffline(try device.perform(.start(label: nil))) == true)
        _ = try device.perform(.stop)
        try device.recordContact()
        try device.record(ConnectionState(.online))
        #expect(isOffline(try device.perform(.start(label: nil))) == false)
    }
}
