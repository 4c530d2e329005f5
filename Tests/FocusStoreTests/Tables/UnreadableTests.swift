import FocusCore
import SQLiteKit
import TestSupport
import Testing

@testable import FocusStore

@Suite("What of a log can't be read")
struct UnreadableTests {
    /// Returns an event of a replica with this body, and with a stamp that is far ahead.
    private func event(_ replica: UInt64, _ body: StoredEvent.Body) -> StoredEvent {
        StoredEvent(ReplicaID(rawValue: replica), 1, Stamp(rawValue: 1 << 62), body)
    }

    @Test(
        "an early event can be read: its replica and a tail that it is in stay, and those of a sealed or empty one go"
    )
    func early() throws {
        let store = try StoreFixture().open()
        let action = Action.set(key: "dailyGoal", value: 3).encoded()
        let bodies: [(UInt64, StoredEvent.Body)] = [
            (0x77, .early(action)), (0x78, .sealed(action)), (0x79, .plain([])),
        ]
        _ = try store.merge(
            [event(0x77, .plain(action)), event(0x78, .sealed(action))], acknowledged: true, at: 1_000)
        #expect(try store.earlyEvents()?.count == 1)
        for (replica, body) in bodies {
            try store.putAside([event(replica, body)], parted: Chain(high: replica, low: 0))
        }
        #expect(try store.unreadableEvents().replicas == 1)
        #expect(try store.removeUnreadable(besides: VersionVector(), waitingFor: []))
        #expect(try store.replicas().filter { $0.seq > 0 }.map(\.id.rawValue) == [0x77])
        var aside: [ReplicaID] = []
        try store.database.forEach("SELECT replica FROM tails_aside") { aside.append($0[0]) }
        #expect(aside.map(\.rawValue) == [0x77])
    }
}
