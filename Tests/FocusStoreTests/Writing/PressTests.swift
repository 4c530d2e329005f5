import FocusCore
import FocusStore
import Foundation
import SQLiteKit
import TestSupport
import Testing

@Suite struct PressTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private struct Refusal: Error {}

    @Test("what a device does by itself as a fresh replica, it does under the name that it had, if any")
    func introduced() throws {
        let store = try fixture.open()
        #expect(try store.author(now: 1000) { try $0.introduceFreshReplica() }.events == [])
        try store.press(.device(name: "desk", key: "ab"), .start(.init()), at: 1000)
        for times in 1...2 {
            try store.takeFreshReplica()
            let written = try store.author(now: 2000) { authoring in
                try authoring.introduceFreshReplica()
                try authoring.introduceFreshReplica()
                try authoring.write(.set(key: "dailyGoal", value: Int64(times)))
            }.events
            #expect(
                written.map(\.action) == [
                    .device(name: "desk", key: "ab"), .set(key: "dailyGoal", value: Int64(times)),
                ])
        }
        #expect(try Set(store.state().devices.keys) == Set(store.ownReplicas()))
    }

    @Test("a fresh replica is introduced by the device's own key, whatever another one wrote as it")
    func introducedByItsOwnKey() throws {
        let store = try fixture.open()
        try store.setText("desk", for: .deviceName)
        let key = Digest(InlineArray(repeating: 0xAB))
        try store.setDeviceKey(key)
        try store.setValue([4, 1], for: .publicKey)
        try store.press(
            .device(name: "desk", key: key.hexadecimal, publicKey: [4, 1]),
            .device(name: "forged", key: "cd"), at: 1000)
        try store.takeFreshReplica()
        let written = try store.author(now: 2000) { try $0.introduceFreshReplica() }.events
        #expect(written.map(\.action) == [.device(name: "desk", key: key.hexadecimal, publicKey: [4, 1])])
    }

    @Test("a replica whose end can't be read, so that anybody may have stamped it, isn't gone on with")
    func unreadableEnd() throws {
        let store = try fixture.open()
        let pressed = try store.press(.start(.init()), at: 1000)
        let name = try #require(pressed.first?.id)
        // The device still writes as its replica, although an event that can't be read was merged there.
        let own = try store.ownReplicas()
        let damaged = StoredEvent(name.replica, 2, Stamp(rawValue: 1 << 62), .damaged([1]))
        _ = try store.merge([damaged], acknowledged: true)
        let database = try Database(path: fixture.path, access: .readWrite)
        try database.execute("UPDATE replicas SET own = own + 9 WHERE seq = 2")
        #expect(try store.ownReplicas().last == own.last)
        let next = try store.press(.set(key: "dailyGoal", value: 1), at: 2000)
        #expect(try next.first?.id.replica == store.ownReplicas().last)
        #expect(next.first?.id.replica != name.replica)
        #expect(next.first?.id.seq == 1)
        #expect(try store.integrityProblems() == [])
    }

    @Test("what a press decides on holds what was pressed before, in this transaction too")
    func decidesOnState() throws {
        let store = try fixture.open()
        let (run, events) = try store.author(now: 1000) { authoring in
            #expect(authoring.state.current == nil)
            let start = try authoring.write(.start(.init(label: "Write")))
            let run = try #require(authoring.state.current?.id)
            #expect(run == start.run)
            try authoring.write(.pause(run, at: nil))
            #expect(authoring.state.current?.isPaused == true)
            return run
        }
        #expect(events.map(\.id.seq) == [1, 2])
        let reader = try fixture.open(.reading)
        #expect(try reader.state().current?.id == run)
        #expect(try reader.state().eventCount == 2)
    }

    @Test("a press that is refused leaves nothing behind, and its reason comes through")
    func refused() throws {
        let store = try fixture.open()
        try store.press(.start(.init()), at: 1000)
        let before = try store.state()
        #expect(throws: Refusal.self) {
            try store.author(now: 2000) { authoring in
                try authoring.write(.set(key: "workLength", value: 60))
                throw Refusal()
            }
        }
        #expect(try store.state() == before)
        #expect(try store.eventCount() == 1)
    }

    @Test("a press is stamped after every event in the log that counts")
    func stamps() throws {
        let store = try fixture.open()
        var script = LogScript()
        let theirs = script.add(.start(.init()), minutes(60))
        _ = try store.merge([theirs].stored, acknowledged: true)
        let mine = try store.press(.set(key: "dailyGoal", value: 3), at: minutes(58))
        #expect(mine.map(\.stamp) == [Stamp(rawValue: theirs.stamp.rawValue + 1)])
    }

    @Test("an interaction can ask the log itself within the press")
    func interaction() throws {
        let store = try fixture.open()
        for interaction in [Interaction.start(label: nil), .pause, .undo] {
            _ = try store.author(now: 5000) { authoring in
                let context = PressContext(now: 5000, offline: false, mark: 0)
                for action in try interaction.actions(on: authoring.state, in: store, context).get() {
                    try authoring.write(action)
                }
            }
        }
        #expect(try store.state().current?.isPaused == false)
        #expect(try store.state() == store.replayed().0)
        #expect(throws: InteractionError.self) {
            try store.author(now: 6000) { authoring in
                try Interaction.resume.actions(
                    on: authoring.state, in: store,
                    PressContext(now: 6000, offline: false, mark: 0)
                ).get()
            }
        }
    }

    @Test("200 presses through many connections at once are all kept, each under a name of its own")
    func concurrent() async throws {
        let fixture = fixture
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let store = try fixture.open(seed: UInt64(worker))
                    for press in 0..<25 {
                        try store.press(.set(key: "dailyGoal", value: Int64(press % 8)), at: 1000)
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try fixture.open()
        let events = try store.allEvents()
        #expect(events.count == 200)
        #expect(Set(events.map(\.id)).count == 200)
        #expect(try store.ownReplicas().count == 1)
        #expect(Set(events.map(\.id.seq)) == Set(1...200))
        #expect(try store.state() == EventLog(events).replayed().0)
    }

    @Test("what is committed survives a crash, and what is not is gone")
    func crash() throws {
        let store = try fixture.open()
        try store.press(.start(.init(label: "kept")), at: 1000)
        let crashed = try TemporaryFolder()
        _ = try store.author(now: 2000) { authoring in
            try authoring.write(.set(key: "workLength", value: 60))
            // If the process crashed now, while the transaction is open, these files would be on the disk.
            for name in ["focus.db", "focus.db-wal"] {
                try FileManager.default.copyItem(
                    atPath: fixture.folder.file(name), toPath: crashed.file(name))
            }
        }
        let looker = try DeviceStore(path: crashed.file("focus.db"), access: .reading) {
            ReplicaID(rawValue: 1)
        }
        #expect(try looker.state().current?.label == "kept")
        let survivor = try DeviceStore(path: crashed.file("focus.db")) { ReplicaID(rawValue: 1) }
        #expect(try survivor.state().current?.label == "kept")
        #expect(try survivor.eventCount() == 1)
        #expect(try survivor.integrityProblems() == [])
        #expect(try store.eventCount() == 2)
    }

    @Test("an event that is longer than one may be is refused before it is written")
    func tooLong() throws {
        let store = try fixture.open()
        let text = String(repeating: "x", count: 5000)
        #expect {
            try store.press(.start(.init(label: text)), at: 1000)
        } throws: {
            ($0 as? StoreError)?.code == .tooLong
        }
        #expect(try store.eventCount() == 0)
    }
}
