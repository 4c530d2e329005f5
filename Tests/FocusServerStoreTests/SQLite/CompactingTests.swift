import FocusColumns
import FocusCore
import FocusServerFiles
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

/// Tests of the cost of keeping small uploads apart until some of them are compacted.
@Suite("Recent events of a server's store")
struct CompactingTests {
    /// Returns a store with `count` groups, and an author of one replica in each.
    private func groups(_ count: UInt64) throws -> (ServerFixture, [(number: Int64, author: Author)]) {
        let fixture = try ServerFixture()
        return (fixture, try groups(count, in: fixture.store))
    }

    private func groups(
        _ count: UInt64, in store: SQLiteServerStore
    ) throws -> [(number: Int64, author: Author)] {
        var authors: [(Int64, Author)] = []
        try store.write { transaction in
            for low in 1...count {
                let group = GroupID(high: 9, low: low)
                try transaction.addGroupWithEpoch(group, now: ServerFixture.now)
                let number = try #require(try transaction.number(of: group))
                authors.append((number, Author(low &* 0x9E37_79B9_7F4A_7C15, group: group)))
            }
        }
        return authors
    }

    /// Adds one press to each group in a single commit, each in its own part of the transaction.
    private func press(_ groups: inout [(number: Int64, author: Author)], _ fixture: ServerFixture) throws {
        try press(&groups, fixture.store)
    }

    private func press(
        _ groups: inout [(number: Int64, author: Author)], _ store: SQLiteServerStore
    ) throws {
        try store.write { transaction in
            for index in groups.indices {
                let (segment, head) = try groups[index].author.segment(1)
                try transaction.part {
                    try transaction.addSegment(segment, through: head, group: groups[index].number)
                }
            }
        }
    }

    private func count(_ table: String, _ fixture: ServerFixture) throws -> Int {
        try fixture.store.database.first("SELECT count(*) FROM \(table)") { $0[0] } ?? 0
    }

    @Test("a commit of 64 groups' presses writes a few pages, not two for each group") func pages() throws {
        var (fixture, groups) = try groups(64)
        for _ in 0..<20 { try press(&groups, fixture) }
        try fixture.compact()
        try press(&groups, fixture)
        _ = try fixture.store.database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0[0] as Int }
        try press(&groups, fixture)
        // The checkpoint of SQLite's log returns the number of pages that the log had.
        let pages: Int = try #require(
            try fixture.store.database.first("PRAGMA wal_checkpoint(PASSIVE)") { $0[1] })
        #expect((1...8).contains(pages), "\(pages)")
    }

    @Test("compacting many groups' presses writes each page a few times, not once for each group")
    func writes() throws {
        let disk = VirtualDisk()
        let store = try SQLiteServerStore(
            at: "/srv/focusd.db", on: .virtual(disk), access: .readWriteCreate)
        var groups = try groups(64, in: store)
        for _ in 0..<60 { try press(&groups, store) }
        let pages = try store.database.first("PRAGMA page_count") { $0[0] as Int } ?? 0
        var writes = 0
        disk.whenCalled = { if $0 == .write { writes += 1 } }
        try store.write { transaction in
            let failures = try transaction.part { try transaction.compact(beyond: 0) }
            #expect(failures.isEmpty)
        }
        // A changed page is written twice: its old content to the savepoint's journal, its new content to the
        // log. Each write also contains the page's number.
        #expect((1...6 * pages).contains(writes), "\(writes) for \(pages) pages")
    }

    @Test("a replica's presses share rows once they are compacted, two rows to a page") func joined()
        throws
    {
        var (fixture, groups) = try groups(4)
        for time in 0..<200 {
            try press(&groups, fixture)
            if time.isMultiple(of: 7) || time % 11 == 3 { try fixture.compact() }
        }
        try fixture.compact()
        #expect(try count("recent WHERE count > 0", fixture) == 0)
        // Each event takes 34 bytes, so about 50 fit into a row.
        let packed = 200 * (Segment.eventHeaderLength + SealedEvent.bodyMinimum)
        #expect(try count("segments", fixture) == 4 * ((packed + 1_899) / 1_900))
        #expect(try StoreCheck(fixture.store).problems == [])
    }

    @Test("a server's start and operators' commands read no compacted events")
    func starting() throws {
        var (fixture, groups) = try groups(3)
        for _ in 0..<5 { try press(&groups, fixture) }
        try fixture.compact()
        try press(&groups, fixture)
        let (logs, summaries) = try fixture.store.read { (try $0.logs(), try $0.summaries()) }
        let again = try SQLiteServerStore(at: fixture.folder.data.store, access: .readOnly)
        try fixture.store.database.execute("ALTER TABLE segments RENAME TO elsewhere")
        #expect(try again.read { try $0.logs() } == logs)
        #expect(try again.read { try $0.summaries() } == summaries)
        #expect(summaries.map(\.events) == [0, 6, 6, 6])
    }

    @Test("if one replica's events can't be compacted, others' are, and nothing is lost")
    func stuck() throws {
        var (fixture, groups) = try groups(3)
        try press(&groups, fixture)
        try fixture.compact()
        try press(&groups, fixture)
        try fixture.store.database.run(
            "UPDATE segments SET packed = x'00' WHERE group_number = ?", groups[1].number)
        let failures = try fixture.store.write { try $0.compact(beyond: 0) }
        #expect(failures.count == 1)
        #expect(try count("recent WHERE count > 0", fixture) == 1)
        // The failed replica isn't tried again at each compaction.
        #expect(try fixture.store.write { try $0.compact(beyond: 0) }.isEmpty)
        try press(&groups, fixture)
        #expect(try fixture.store.write { try $0.compact(beyond: 0) }.isEmpty)
        #expect(try count("recent WHERE count > 0", fixture) == 2)
        #expect(try fixture.store.read { try $0.summaries() }.map(\.events) == [0, 3, 3, 3])
    }

    @Test("no recent events are left of a deleted group") func deleted() throws {
        var (fixture, groups) = try groups(2)
        try press(&groups, fixture)
        try press(&groups, fixture)
        for (number, _) in groups {
            try fixture.store.write { try $0.deleteGroup(number, now: 1) }
            while try fixture.store.write({ try $0.deleteRemains() }) {}
        }
        #expect(try count("recent WHERE length(packed) > 0", fixture) == 0)
        #expect(try count("segments", fixture) + count("heads", fixture) == 0)
        #expect(try StoreCheck(fixture.store).problems == [])
    }

    @Test("a damaged row fails only its replica, and a check of the store finds it")
    func damaged()
        throws
    {
        var (fixture, groups) = try groups(2)
        try press(&groups, fixture)
        try fixture.store.database.run(
            "UPDATE recent SET packed = x'00' WHERE group_number = ?", groups[0].number)
        let again = try SQLiteServerStore(at: fixture.folder.data.store, access: .readWrite)
        let (logs, damages) = try again.read { try $0.readableLogs() }
        #expect(damages.count == 1 && logs[groups[0].author.group] == nil)
        #expect(logs[groups[1].author.group]?.size.events == 1)
        #expect(throws: RowCorruption.self) {
            try again.read { try $0.lastSeq(of: groups[0].author.replica, in: groups[0].number) }
        }
        #expect(try StoreCheck(fixture.store).problems.count == 1)
    }
}
