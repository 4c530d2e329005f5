import ClientSupport
import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("Obstacles between a device and its server")
struct ObstacleTests {
    private let home = TemporaryHome()
    private let device: Device

    init() throws {
        device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        let epoch = StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil)
        try device.store.enter(GroupID(high: 1, low: 2), epoch)
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 1))))
    }

    @Test("an obstacle is new once, even if the network fails meanwhile", arguments: ServerObstacle.allCases)
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
        "an agent's start keeps an obstacle only if it needs a person", arguments: ServerObstacle.allCases)
    func start(obstacle: ServerObstacle) throws {
        try device.record(obstacle)
        try device.recordStart()
        #expect(try device.obstacle() == (obstacle.needsPerson ? obstacle : nil))
        #expect(try DeviceStatus(device).connection == (obstacle.needsPerson ? .offline : .connecting))
    }

    @Test("an obstacle ends with a new server and on leaving, and a laptop in no group has none")
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

    @Test(
        "a laptop that its server or the log shuts out has only that trouble with its group",
        arguments: [false, true])
    func shutOut(byServer: Bool) throws {
        let (own, late) = (Digest(InlineArray(repeating: 7)), Digest(InlineArray(repeating: 8)))
        func troubles() throws -> [Trouble] {
            try device.troubles(device.store.state(), at: device.now())
        }
        try device.store.setDeviceKey(own)
        try device.merge(.device(name: "late", key: late.hexadecimal), by: 0x21, at: 1_763_661_000_000)
        try device.store.replaceStandings(with: [late: .outdated])
        #expect(try troubles() == [.latecomers(1)])
        if byServer { try device.record(.revoked) } else { try device.rule([.revoke(own)]) }
        #expect(try troubles() == [.revoked])
        if byServer { try device.record(.unreachable) } else { try device.rule([.readmit(own)]) }
        #expect(try troubles() == (byServer ? [.revoked] : [.latecomers(1)]))
    }

    @Test("malformed bytes are no obstacle")
    func malformed() throws {
        for bytes in [[], Array("revoked".utf8), Array("nothing\n".utf8)] as [[UInt8]] {
            try device.store.setValue(bytes, for: .obstacle)
            #expect(try device.obstacle() == nil)
        }
    }
}
