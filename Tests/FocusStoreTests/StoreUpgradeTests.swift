import FocusCore
import SQLiteKit
import TestSupport
import Testing

@testable import FocusStore

@Suite struct StoreUpgradeTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Makes the fixture's database one of an earlier version that holds what a store of this version does.
    private func makeFormer(_ version: Int, like store: DeviceStore) throws {
        let schema = StoreSchema.schema
        let former = try Database(path: fixture.path, access: .readWriteCreate)
        for migration in schema.migrations.prefix(version) { try former.execute(migration) }
        try former.execute(
            """
            PRAGMA user_version=\(version); PRAGMA application_id=\(schema.applicationID);
            ATTACH '\(store.path)' AS present
            """)
        for table in ["events", "undos", "forward_starts", "replicas", "checkpoints", "journal", "profile"] {
            try former.execute("INSERT INTO \(table) SELECT * FROM present.\(table)")
        }
    }

    @Test(
        "a log of the version before is the same log after the upgrade, and is gone on with",
        arguments: 1...4 as ClosedRange<UInt64>)
    func upgraded(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 300).events
        let whole = try EventLog(events).replayed()
        let now = events.map(\.time).max() ?? 0
        let like = try StoreFixture()
        let present = try like.open()
        _ = try present.merge(events.stored, acknowledged: true)
        let stored = try present.allStoredEvents()
        try makeFormer(4, like: present)
        let store = try fixture.open()
        #expect(store.upgrade?.from == 4)
        #expect(store.upgrade?.to == StoreSchema.schema.version)
        #expect(try store.allStoredEvents() == stored, "seed \(seed)")
        #expect(try store.integrityProblems() == [])
        let history = try store.history()
        #expect(history.state == whole.0, "seed \(seed)")
        #expect(
            History(history.journal, history.state, at: now) == History(whole.1, whole.0, at: now),
            "seed \(seed)")
        try store.press(.set(key: "dailyGoal", value: 3), at: now)
        #expect(try store.state() == store.replayed().0, "seed \(seed)")
    }
}
