import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("What keeps a device from its server")
struct ObstacleTests {
    private let home = TemporaryHome()
    private let device: Device

    init() throws {
        device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        let epoch = StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil)
        try device.store.enter(GroupID(high: 1, low: 2), epoch)
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 1))))
    }

    @Test("is news once, whatever the network does meanwhile", arguments: ServerObstacle.allCases)
    func news(obstacle: ServerObstacle) throws {
        #expect(try device.obstacle() == nil)
        #expect(try device.record(obstacle))
        #expect(try !device.record(obstacle))
        #expect(try device.obstacle() == obstacle)
        try device.record(.unreachable)
        #expect(try device.record(obstacle) == (!obstacle.needsPerson && obstacle != .unreachable))
        #expect(try device.record(.olderServer) == (obstacle != .olderServer))
        #expect(try device.obstacle() == .olderServer)
    }

    @Test(
        "is kept by an agent that begins only if a person has to mend it", arguments: ServerObstacle.allCases)
    func start(obstacle: ServerObstacle) throws {
        try device.record(obstacle)
        try device.recordStart()
        #expect(try device.obstacle() == (obstacle.needsPerson ? obstacle : nil))
        #expect(try DeviceStatus(device).connection == (obstacle.needsPerson ? .offline : .connecting))
    }

    @Test("isn't another server's, nor that of a laptop that has left, nor that of one that is alone")
    func elsewhere() throws {
        try device.record(.revoked)
        #expect(try device.isRevoked())
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 2))))
        #expect(try device.obstacle() == nil)
        #expect(try device.record(.unknownDevice))
        _ = try device.leave()
        #expect(try device.obstacle() == nil)
        #expect(try !device.record(.unreachable))
        try device.recordStart()
        #expect(try device.store.value(.link) == nil)
    }

    @Test("isn't read from bytes that are none")
    func malformed() throws {
        for bytes in [[], Array("revoked".utf8), Array("nothing\n".utf8)] as [[UInt8]] {
            try device.store.setValue(bytes, for: .obstacle)
            #expect(try device.obstacle() == nil)
        }
    }
}
