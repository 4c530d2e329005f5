import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct GroupTests {
    let fixture: StoreFixture
    let store: DeviceStore
    let group = GroupID(high: 0xFFFF_FFFF_FFFF_FFFF, low: 7)

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    @Test("what was written alone becomes the group's, and what follows is written under its epoch")
    func enter() throws {
        try store.press(.start(.init(label: "alone")), at: 1000)
        let state = try store.state()
        let epoch = StoredEpoch(id: .one, key: [1, 2, 3], predecessor: nil)
        try store.enter(group, epoch)
        #expect(try store.group() == group)
        #expect(try store.epochs() == [epoch])
        #expect(try store.state() == state)
        let next = try store.press(.set(key: "dailyGoal", value: 1), at: 2000)
        let replica = try #require(next.first?.id.replica)
        #expect(try store.storedEvents(of: replica, from: 1).map(\.epoch) == [.one, .one])
        #expect(try store.storedEvents(of: replica, from: 1).map(\.chain) == [nil, nil])
    }

    @Test("the device writes under the newest epoch, also where an older one's key comes later")
    func epochs() throws {
        try store.enter(group, StoredEpoch(id: .two, key: [2], predecessor: .one))
        try store.add(StoredEpoch(id: .one, key: [1], predecessor: nil))
        let third = StoredEpoch(id: EpochID(rawValue: 3), key: [3], predecessor: .two)
        #expect(try store.epochs().map(\.id) == [.one, .two])
        try store.add(third)
        try store.add(third)
        #expect(try store.epochs().map(\.id) == [.one, .two, third.id])
        let pressed = try store.press(.start(.init()), at: 1000)
        let replica = try #require(pressed.first?.id.replica)
        #expect(try store.storedEvents(of: replica, from: 1).map(\.epoch) == [third.id])
    }

    @Test("starting over leaves an empty log as a fresh replica, the device's own settings, and a copy")
    func startOver() throws {
        let pressed = try store.press(.start(.init(label: "before")), at: 1000)
        try store.enter(group, StoredEpoch(id: .one, key: [1], predecessor: nil))
        try store.setText("laptop", for: .deviceName)
        try store.setText("host:7853", for: .servers)
        let copy = fixture.folder.file("left.db")
        try store.startOver(keepingCopyAt: copy)
        #expect(try store.eventCount() == 0)
        #expect(try store.state() == ReplayState())
        #expect(try store.group() == nil)
        #expect(try store.epochs() == [])
        #expect(try store.text(.servers) == nil)
        #expect(try store.text(.deviceName) == "laptop")
        #expect(try store.ownReplicas().count == 1)
        #expect(try store.ownReplicas() != pressed.map(\.id.replica))
        #expect(try fixture.folder.mode("left.db") == 0o400)
        let left = try DeviceStore(path: copy, access: .reading) { ReplicaID(rawValue: 1) }
        #expect(try left.state().current?.label == "before")
        #expect(try left.group() == group)
        // An existing copy is never overwritten. In that case the store isn't cleared either.
        try store.press(.start(.init(label: "after")), at: 2000)
        #expect(throws: StoreError.self) { try store.startOver(keepingCopyAt: copy) }
        #expect(try store.state().current?.label == "after")
    }

    @Test("the server's key is stored with the key that is to follow it, or without one")
    func serverPin() throws {
        let (key, next) = (Digest(InlineArray(repeating: 1)), Digest(InlineArray(repeating: 2)))
        for pin in [ServerPin(key, next: next), ServerPin(next, next: nil)] {
            try store.setServerPin(pin)
            #expect(try store.serverPin() == pin)
        }
    }

    @Test("a revocation stays, whatever is said later")
    func revocation() throws {
        let one = try #require(Digest(bytes: Array(repeating: 1, count: 32)))
        let two = try #require(Digest(bytes: Array(repeating: 2, count: 32)))
        try store.upsert([
            RosterEntry(device: one, isRevoked: false), RosterEntry(device: two, isRevoked: true),
        ])
        try store.upsert([
            RosterEntry(device: one, isRevoked: true), RosterEntry(device: two, isRevoked: false),
        ])
        #expect(
            try store.devices().map(\.listing) == [
                RosterEntry(device: one, isRevoked: true), RosterEntry(device: two, isRevoked: true),
            ])
    }

    @Test("an epoch's record is kept as it came first")
    func epochRecords() throws {
        let first = EpochRecord(epoch: .one, predecessor: nil, body: [])
        let second = EpochRecord(epoch: .two, predecessor: .one, body: [1])
        try store.add(first)
        try store.add(second)
        try store.add(EpochRecord(epoch: .two, predecessor: nil, body: [9]))
        #expect(Set(try store.epochRecords()) == [first, second])
    }

    @Test("what is kept by name comes back in every process, and can be taken away")
    func profile() throws {
        let screen = StoredValueKey(rawValue: "screen")
        #expect(try store.value(screen) == nil)
        try store.setValue([0, 255], for: screen)
        try store.setValue([], for: .clock)
        let other = try fixture.open(.reading)
        #expect(try other.value(screen) == [0, 255])
        #expect(try other.value(.clock) == [])
        try store.setValue(nil, for: screen)
        #expect(try other.value(screen) == nil)
    }

    @Test("a key or a group's id that has another length is damage, whoever asks")
    func lengths() throws {
        try Database(path: fixture.path, access: .readWrite).execute(
            """
            INSERT INTO devices (device, is_revoked) VALUES (x'010203', 0);
            INSERT INTO profile (name, value) VALUES ('group', x'0102030405060708090a0b0c0d0e0f1011');
            """)
        let asked: [() throws -> Void] = [
            { _ = try store.devices() }, { _ = try store.group() },
        ]
        for ask in asked {
            let error = #expect(throws: StoreError.self) { try ask() }
            #expect(error?.code == .damaged)
        }
    }
}
