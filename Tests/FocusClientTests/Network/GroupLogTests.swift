import FocusClient
import FocusCore
import FocusStore
import FocusSync
import Testing

@Suite("A group's log")
struct GroupLogTests {
    private let home = TemporaryHome()

    @Test("what the server sends though it is here already counts as acknowledged")
    func sentAgain() throws {
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).context)
        let epoch = EpochID(rawValue: 0x630d_cd29_66c4_3366)
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: epoch, key: Array(0..<32), predecessor: nil))
        _ = try device.perform(.start(label: nil))
        let log = try #require(try GroupLog(device.store))
        _ = try log.vector()
        let replica = try #require(try device.store.ownReplicas().first)
        let segment = try #require(try log.segment(of: replica, from: 1, bytes: 1 << 16))
        #expect(try device.store.pendingCount() > 0)

        #expect(try log.merge(segment).count == 0)
        #expect(try device.store.pendingCount() == 0)
    }

    @Test("its roster has the devices that the log names, and a revocation holds whatever the log says")
    func roster() throws {
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).context)
        // The key of docs/protocol.md, "Test vectors".
        let epoch = EpochID(rawValue: 0x630d_cd29_66c4_3366)
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: epoch, key: Array(0..<32), predecessor: nil))
        let keys = try [0xAA, 0xBB, 0xCC].map { byte in
            try #require(Digest(bytes: Array(repeating: UInt8(byte), count: 32)))
        }
        for (number, name) in ["aa", "bb"].enumerated() {
            let stamp = try #require(Stamp(milliseconds: 1_763_661_000_000, counter: 0))
            let action = Action.device(name: name, key: String(repeating: name, count: 32))
            let event = Event(
                replica: ReplicaID(rawValue: UInt64(number) + 1), seq: 1, stamp: stamp, action: action)
            _ = try device.store.merge([StoredEvent(event, epoch: epoch)], acknowledged: true)
        }
        try device.store.keep([
            StoredDevice(key: keys[1], isRevoked: true), StoredDevice(key: keys[2], isRevoked: false),
        ])

        let log = try #require(try GroupLog(device.store))
        #expect(
            try log.local().roster == [
                RosterEntry(device: keys[0], isRevoked: false), RosterEntry(device: keys[1], isRevoked: true),
                RosterEntry(device: keys[2], isRevoked: false),
            ])

        // One that was taken back joins with another key: this one is listed to nobody, in whatever way.
        _ = try device.store.author(now: 1_763_661_700_000) { try $0.write([.readmit(keys[1])]) }
        #expect(
            try log.local().roster == [
                RosterEntry(device: keys[0], isRevoked: false),
                RosterEntry(device: keys[2], isRevoked: false),
            ])
    }
}
