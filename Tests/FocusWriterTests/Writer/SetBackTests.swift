import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// Tests of a database that has lost rows that the writer remembers. This happens if a standby takes over
/// without the last commits.
@Suite("A writer whose database was set back", .ends(within: .seconds(600)))
struct SetBackTests {
    private let database: DatabaseFixture
    private let writer: LogWriter

    init() throws {
        database = try DatabaseFixture()
        writer = try LogWriter(on: database.open())
        writer.add([.follow(ServerFixture.group, for: nil)])
    }

    private func merge(_ segment: Segment) -> [WriterOutcome] {
        writer.batches([.merge(segment, ServerFixture.group, by: ServerFixture.member, from: 1)])
            .flatMap { $0 }
    }

    /// Sets the database back to its content after the first upload.
    private func setBack(to segment: Segment, _ head: ReplicaHead) throws {
        _ = try database.administrator.rows("DELETE FROM segments WHERE first_seq > 1")
        _ = try database.administrator.rows(
            "UPDATE heads SET seq = $1, stamp = $2, chain = $3", segment.lastSeq, head.stamp,
            head.head.chain.bytes)
    }

    /// Returns the groups that are reported as set back. The server closes their connections, so that the
    /// laptops connect again.
    private func setBack(_ outcomes: some Sequence<WriterOutcome>) -> [GroupID] {
        outcomes.compactMap { if case .setBack(let log) = $0 { log.group } else { nil } }
    }

    @Test("when everything is read again, groups with lost rows begin again, and others don't")
    func readAnew() throws {
        let other = GroupID(high: 7, low: 7)
        try database.open().write { transaction in
            try transaction.addGroupWithEpoch(other, now: ServerFixture.now)
        }
        var author = Author(1)
        let (first, head) = try author.segment(2)
        _ = merge(first)
        let second = try author.write(3)
        #expect(merge(second).compactMap(\.ack).map(\.seq) == [5])
        try setBack(to: first, head)
        // The writer reads everything again. The other group has lost no rows.
        let outcomes = writer.batches([.news(StoreNews(isAll: true), for: nil)]).flatMap { $0 }
        #expect(setBack(outcomes) == [ServerFixture.group])
        // The laptop uploads it again.
        let again = merge(second)
        #expect(again.compactMap(\.ack).map(\.seq) == [5] && again.compactMap(\.push?.lastSeq) == [5])
        let found = try database.open()
        #expect(try found.read { try $0.logs() } == writer.groups)
        #expect(try found.check().problems == [])
    }

    @Test("an upload that follows lost events isn't stored, and the group begins again")
    func followedOn() throws {
        var author = Author(1)
        let (first, head) = try author.segment(2)
        _ = merge(first)
        _ = merge(try author.write(3))
        try setBack(to: first, head)
        // This upload follows the lost one.
        let outcomes = merge(try author.write(1))
        #expect(setBack(outcomes) == [ServerFixture.group])
        #expect(outcomes.compactMap(\.ack).map(\.seq) == [2])
        #expect(outcomes.compactMap(\.push).isEmpty)
    }

    @Test("a group that the database lacks counts as deleted")
    func withoutGroup() throws {
        let other = GroupID(high: 7, low: 7)
        try database.open().write { transaction in
            try transaction.addGroupWithEpoch(other, now: ServerFixture.now)
        }
        _ = writer.batches([.news(StoreNews(isAll: true), for: nil)])
        #expect(Set(writer.groups.keys) == [ServerFixture.group, other])
        for table in ["epochs", "rosters"] {
            _ = try database.administrator.rows(
                "DELETE FROM \(table) WHERE group_number = (SELECT number FROM groups WHERE id = $1)",
                other.bytes)
        }
        _ = try database.administrator.rows("DELETE FROM groups WHERE id = $1", other.bytes)
        let outcomes = writer.batches([.news(StoreNews(isAll: true), for: nil)]).flatMap { $0 }
        let here = outcomes.compactMap { if case .reloaded(_, let groups) = $0 { groups } else { nil } }
        #expect(here == [[ServerFixture.group]] && Set(writer.groups.keys) == [ServerFixture.group])
    }

    @Test(
        "a writer notices by itself that a standby has taken over, also for groups without presses"
    )
    func takenOver() throws {
        let primary = try TestPostgreSQL()
        let name = try primary.makeDatabaseName()
        let address = try primary.address(of: name)
        let number = try PostgreSQLServerStore(at: address, access: .upgrading).write { transaction in
            try transaction.addGroupWithEpoch(ServerFixture.group, now: ServerFixture.now)
            let number = try #require(try transaction.number(of: ServerFixture.group))
            try transaction.putDevice(ServerFixture.member, inGroup: number, now: 1)
            return number
        }
        #expect(number == 1)
        let standby = try TestPostgreSQL(standbyOf: primary, waits: false)
        let both = try #require(PostgreSQLAddress(primary.addressText(of: name, or: standby)))
        let writer = try LogWriter(on: PostgreSQLServerStore(at: both, access: .existing, server: 1))
        writer.add([.follow(ServerFixture.group, for: nil)])
        func merge(_ segment: Segment) -> [WriterOutcome] {
            writer.batches([.merge(segment, ServerFixture.group, by: ServerFixture.member, from: 1)])
                .flatMap { $0 }
        }
        var author = Author(1)
        #expect(merge(try author.write(2)).compactMap(\.ack).map(\.seq) == [2])
        while try standby.eventCount(in: name) < 2 {}
        try standby.stop()
        let second = try author.write(3)
        #expect(merge(second).compactMap(\.ack).map(\.seq) == [5])
        try primary.stop()
        try standby.start()
        try standby.promote()
        // Does only the work that the writer does once a second.
        func note() -> [WriterOutcome] {
            writer.batches([.note([:], greatestServed: .zero, acceptances: nil)]).flatMap { $0 }
        }
        #expect(setBack(note()) == [ServerFixture.group] && setBack(note()).isEmpty)
        #expect(merge(second).compactMap(\.ack).map(\.seq) == [5])
        #expect(try standby.eventCount(in: name) == 5)
    }
}
