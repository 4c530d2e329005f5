import ClientSupport
import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import TestSupport
import Testing

@Suite("A group's log")
struct SealedLogTests {
    private let home = TemporaryHome()
    private let device: Device
    private let log: SealedLog

    init() throws {
        device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        try TestGroup.enter(device.store)
        log = try #require(try SealedLog(device.store))
    }

    @Test("what the server sends though it is here already counts as acknowledged")
    func sentAgain() throws {
        _ = try device.perform(.start(label: nil))
        _ = try log.vector()
        let replica = try #require(try device.store.ownReplicas().first)
        let segment = try #require(try log.segment(of: replica, from: 1, bytes: 1 << 16))
        #expect(try device.store.pendingCount() > 0)

        #expect(try log.merge(segment).count == 0)
        #expect(try device.store.pendingCount() == 0)
    }

    @Test("its roster has the devices that the log names first, and a revocation holds whatever the log says")
    func roster() throws {
        let keys = try [0xAA, 0xBB, 0xCC].map { byte in
            try #require(Digest(bytes: Array(repeating: UInt8(byte), count: 32)))
        }
        for (number, name) in ["aa", "bb"].enumerated() {
            let stamp = try #require(Stamp(time: 1_763_661_000_000, counter: 0))
            let action = Action.device(name: name, key: String(repeating: name, count: 32))
            let event = Event(
                replica: ReplicaID(rawValue: UInt64(number) + 1), seq: 1, stamp: stamp, action: action)
            let stored = StoredEvent(event, epoch: try TestGroup.key().epoch)
            _ = try device.store.merge([stored], acknowledged: true)
        }
        try device.store.upsert([
            RosterEntry(device: keys[1], isRevoked: true), RosterEntry(device: keys[2], isRevoked: false),
        ])

        #expect(
            try log.local().roster == [
                RosterEntry(device: keys[0], isRevoked: false),
                RosterEntry(device: keys[2], isRevoked: false),
                RosterEntry(device: keys[1], isRevoked: true),
            ])

        // A readmitted device joins with a new key. Its old key isn't listed any more, neither as revoked nor
        // as a member.
        try device.readmit(keys[1])
        #expect(
            try log.local().roster == [
                RosterEntry(device: keys[0], isRevoked: false),
                RosterEntry(device: keys[2], isRevoked: false),
            ])
    }

    @Test(
        "of a push with a stamp that doesn't rise what comes before that is kept, and nothing from there on")
    func malformedStamp() throws {
        let key = try TestGroup.key()
        let sealer = try Sealer(group: TestGroup.id, keys: [key])
        let replica = ReplicaID(rawValue: 7)
        let sealed = try ([1, 2, 2, 4] as [Duration]).enumerated().map { number, second in
            let stamp = try #require(Stamp(time: 1_763_661_000_000 + second, counter: 0))
            let event = Event(
                replica: replica, seq: UInt64(number) + 1, stamp: stamp,
                action: .set(key: "dailyGoal", value: Int64(number) + 1))
            return try sealer.seal(event, epoch: key.epoch)
        }
        let merged = try log.merge(try #require(Segment(sealed, chainBefore: .empty)))
        #expect(merged.stop == RefusalCode.malformed)
        #expect(merged.head.seq == 2)
        #expect(merged.count == 2)
        #expect(try device.store.storedEvents(of: replica, from: 1).map(\.id.seq) == [1, 2])
        #expect(try log.vector()[replica] == merged.head)
        #expect(try device.store.state().settings.dailyGoal == 2)
        // Merging the same events again changes nothing.
        #expect(try log.merge(try #require(Segment(sealed, chainBefore: .empty))).count == 0)
    }

    @Test("however much of a log is asked for, it fits into a frame")
    func frame() throws {
        let label = String(repeating: "x", count: 3_900)
        _ = try device.store.author(now: 1_763_661_600_000) { authoring in
            for _ in 0..<300 { try authoring.write(.start(.init(label: label))) }
        }
        _ = try log.vector()
        let replica = try #require(try device.store.ownReplicas().first)
        let segment = try #require(try log.segment(of: replica, from: 1, bytes: .max))
        #expect(segment.count < 300)
        #expect(Message.upload(segment).encoded().count - 4 <= Limits.frame)
        let read = try #require(try log.segment(of: replica, from: 1, bytes: Limits.read))
        #expect(read.packed.count <= Limits.read)
    }
}
