import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of damaged rows beside small uploads, which are kept apart until they are compacted.
@Suite("Recent events of a server's store")
struct CompactingTests {
    /// Returns a store with `count` groups, and an author of one replica in each.
    private func groups(_ count: UInt64) throws -> (ServerFixture, [(number: Int64, author: Author)]) {
        let fixture = try ServerFixture()
        let authors = try fixture.store.write { transaction in
            try (1...count).map { low in
                let group = GroupID(high: 9, low: low)
                try transaction.addGroupWithEpoch(group, now: ServerFixture.now)
                return (try #require(try transaction.number(of: group)), Author(low, group: group))
            }
        }
        return (fixture, authors)
    }

    /// Adds one press to each group in a single commit, each in its own part of the transaction.
    private func press(_ groups: inout [(number: Int64, author: Author)], _ fixture: ServerFixture) throws {
        try fixture.store.write { transaction in
            for index in groups.indices {
                let (segment, head) = try groups[index].author.segment(1)
                try transaction.withSavepoint {
                    try transaction.addSegment(segment, through: head, group: groups[index].number)
                }
            }
        }
    }

    private func count(_ table: String, _ fixture: ServerFixture) throws -> Int {
        try fixture.store.database.first("SELECT count(*) FROM \(table)") { $0[0] } ?? 0
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

    @Test("reading one group's log costs the same, however many groups there are")
    func oneLog() throws {
        func steps(among count: UInt64) throws -> Int {
            var (fixture, groups) = try groups(count)
            try press(&groups, fixture)
            try fixture.compact()
            let before = fixture.store.database.work.steps
            let number = groups[0].number
            let log = try #require(try fixture.store.read { try $0.log(of: number) })
            #expect(log.group == GroupID(high: 9, low: 1))
            #expect(log.vector[ReplicaID(rawValue: 1)].seq == 1)
            return fixture.store.database.work.steps - before
        }
        let (few, many) = (try steps(among: 2), try steps(among: 50))
        // Reading all groups takes more than ten steps for each.
        #expect(many < few + 50)
    }

    @Test("a damaged row fails only its replica, and a check of the store finds it")
    func damaged() throws {
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

    @Test("events are read from any seq on, across rows, up to about a number of bytes")
    func reading() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        var all: [UInt8] = []
        var chains = [Chain.empty]
        for count in [1, 3, 2, 1] {
            var one = author
            for _ in 0..<count {
                _ = try one.write(1)
                chains.append(one.chain)
            }
            let segment = try author.write(count)
            all += segment.packed
            _ = try fixture.run([.merge(segment, ServerFixture.group, by: digest(1), from: 9)])
        }
        let each = all.count / 7
        for seq in 1...7 {
            for events in 1...7 {
                let found = try #require(
                    try fixture.store.read {
                        try $0.events(
                            of: author.replica, from: UInt64(seq), bytes: each * events, in: fixture.name)
                    })
                #expect(found.firstSeq == UInt64(seq) && found.chainBefore == chains[seq - 1])
                #expect(found.count == min(events, 8 - seq))
                #expect(found.packed == Array(all[((seq - 1) * each)...].prefix(events * each)))
            }
        }
        #expect(
            try fixture.store.read {
                try $0.events(of: author.replica, from: 8, bytes: 1000, in: fixture.name)
            } == nil)
        #expect(
            try fixture.store.read {
                try $0.events(
                    of: ReplicaID(rawValue: 2), from: 1, bytes: 1000, in: fixture.name)
            } == nil)
        #expect(try fixture.store.read { try $0.lastSeq(of: author.replica, in: fixture.name.number) } == 7)
    }
}
