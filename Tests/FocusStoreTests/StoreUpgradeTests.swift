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

    /// Has the fixture's database keep all chains, and each entry of the history by itself, as versions up to 5 did.
    private func keepAsBefore(_ events: [StoredEvent]) throws {
        let former = try Database(path: fixture.path, access: .readWrite)
        for event in events {
            try former.run(
                "UPDATE events SET chain = ? WHERE replica = ? AND seq = ?", event.chain, event.id.replica,
                event.id.seq)
        }
        var rows: [(stamp: Stamp, replica: ReplicaID, block: [UInt8])] = []
        try former.forEach("SELECT stamp, replica, entry FROM journal") { rows.append(($0[0], $0[1], $0[2])) }
        try former.execute("DELETE FROM journal")
        for row in rows {
            for (number, entry) in try JournalBlock.entries(encoded: row.block).enumerated() {
                try former.run(
                    "INSERT INTO journal (stamp, replica, number, entry) VALUES (?, ?, ?, ?)", row.stamp,
                    row.replica, number, entry.encoded())
            }
        }
    }

    /// Each replica's events, chained.
    private func chained(_ events: [StoredEvent]) -> [StoredEvent] {
        Dictionary(grouping: events, by: \.id.replica).values.flatMap { FakeChaining().chained($0) }
            .sorted { $0.position < $1.position }
    }

    @Test(
        "a log of an earlier version is the same log after the upgrade, and is gone on with",
        arguments: 1...4 as ClosedRange<UInt64>, [4, 5])
    func upgraded(seed: UInt64, version: Int) throws {
        let events = RandomLog(seed: seed, count: 300).events
        let whole = try EventLog(events).replayed()
        let now = events.map(\.time).max() ?? 0
        let like = try StoreFixture()
        let present = try like.open()
        let stored = chained(events.stored)
        _ = try present.merge(stored.sorted { $0.id < $1.id }, acknowledged: true)
        let vector = try present.versionVector()
        try makeFormer(version, like: present)
        try keepAsBefore(stored)
        let store = try fixture.open()
        #expect(store.upgrade?.from == Int64(version))
        #expect(store.upgrade?.to == StoreSchema.schema.version)
        #expect(try store.allStoredEvents() == stored, "seed \(seed)")
        #expect(try store.integrityProblems() == [])
        #expect(try store.versionVector() == vector)
        for event in stored {
            let chain = try store.chain(of: event.id.replica, at: event.id.seq, FakeChaining())
            #expect(chain == event.chain, "seed \(seed)")
        }
        let history = try store.history()
        #expect(history.state == whole.0, "seed \(seed)")
        #expect(
            History(history.journal, history.state, at: now) == History(whole.1, whole.0, at: now),
            "seed \(seed)")
        try store.press(.set(key: "dailyGoal", value: 3), at: now)
        #expect(try store.state() == store.replayed().0, "seed \(seed)")
    }

    @Test("what an agent of the version before writes meanwhile, an entry by itself, is read and packed too")
    func formerAgent() throws {
        let events = RandomLog(seed: 7, count: 300).events
        let store = try fixture.open()
        _ = try store.merge(events.stored, acknowledged: true)
        let now = events.map(\.time).max() ?? 0
        try keepAsBefore([])
        for goal in Int64(0)..<80 { try store.press(.set(key: "dailyGoal", value: goal % 9), at: now) }
        let whole = try EventLog(store.allEvents()).replayed()
        let history = try store.history()
        #expect(History(history.journal, history.state, at: now) == History(whole.1, whole.0, at: now))
        // Of what lay by itself, only what was added lately is looked at.
        let rows = try Database(path: fixture.path, access: .readOnly)
            .first("SELECT count(*) FROM journal", read: { $0[0] as Int })
        #expect((rows ?? 0) > 0)
    }
}
