import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer

@Suite("Any server's store: what is wrong with it")
struct CheckConformanceTests {
    /// Returns the problems found in a store after these changes. The store has two replicas with 3 and 4
    /// events, in two segments each.
    private func problems(_ kind: StoreKind, after sql: String...) throws -> [String] {
        let it = try kind.make()
        let number = try it.addGroup(1)
        try it.write { transaction in
            try transaction.putEpoch(EpochRecord(naming: ServerFixture.epoch), group: number)
            try transaction.putDevice(digest(1), inGroup: number, now: 1)
            try transaction.listDevice(digest(2), inGroup: number, isRevoked: true, now: 1)
            for replica: UInt64 in [1, 2] {
                var author = Author(replica, group: GroupID(high: 0, low: 1))
                for count in [2, Int(replica)] {
                    let (segment, head) = try author.segment(count, bodyLength: 1_936)
                    try transaction.addSegment(segment, through: head, group: number)
                }
            }
        }
        _ = try it.write { try $0.compact(beyond: 0) }
        for statement in sql { try it.execute(statement) }
        try it.reopen()
        let check = try it.store.check()
        if sql.isEmpty { #expect(check.events == 7 && check.groups == 1) }
        return check.problems.map(\.sentence)
    }

    private static let damages = [
        ("DELETE FROM segments WHERE replica = 1 AND first_seq = 1", "events from 1 to 2 are missing"),
        ("DELETE FROM segments WHERE replica = 1 AND first_seq = 3", "recorded last event"),
        ("DELETE FROM segments WHERE replica = 1", "recorded last event"),
        ("UPDATE segments SET first_seq = 2 WHERE replica = 1 AND first_seq = 3", "there twice"),
        ("UPDATE segments SET count = 9 WHERE replica = 1 AND first_seq = 1", "2 events and not 9"),
        ("UPDATE heads SET seq = 9 WHERE replica = 1", "recorded last event"),
        ("DELETE FROM heads WHERE replica = 1", "recorded last event"),
    ]

    private static let damagesOfSQLite = [
        ("UPDATE segments SET packed = zeroblob(20) WHERE replica = 1 AND first_seq = 1", "be separated"),
        (
            "UPDATE segments SET chain_before = randomblob(16) WHERE replica = 1 AND first_seq = 3",
            "don't follow"
        ),
        (
            "UPDATE segments SET chain_after = randomblob(16) WHERE replica = 1 AND first_seq = 3",
            "chain differs"
        ),
        ("UPDATE segments SET last_stamp = 5 WHERE replica = 1 AND first_seq = 3", "chain differs"),
        ("UPDATE segments SET first_seq = -1 WHERE replica = 1 AND first_seq = 1", "missing"),
        (
            """
            UPDATE segments SET packed = CAST(substr(packed, 1, 18) || x'08' || substr(packed, 20) AS BLOB)
            WHERE replica = 1 AND first_seq = 1
            """, "chain differs"
        ),
        (
            """
            UPDATE segments SET packed = CAST(zeroblob(8) || substr(packed, 9) AS BLOB)
            WHERE replica = 1 AND first_seq = 3
            """, "stamp of event 3 doesn't rise"
        ),
    ]

    private static let damagesOfPostgreSQL = [
        ("UPDATE segments SET packed = '\\x00' WHERE replica = 1 AND first_seq = 1", "be separated"),
        (
            "UPDATE segments SET packed = set_byte(packed, 18, 8) WHERE replica = 1 AND first_seq = 1",
            "chain differs"
        ),
    ]

    @Test(
        "missing, changed and misplaced events of a replica are found, and reported once",
        arguments: StoreKind.allCases)
    func damage(_ kind: StoreKind) throws {
        #expect(try problems(kind) == [])
        let own =
            kind == .sqlite
            ? CheckConformanceTests.damagesOfSQLite : CheckConformanceTests.damagesOfPostgreSQL
        for (sql, expected) in CheckConformanceTests.damages + own {
            let problems = try problems(kind, after: sql)
            #expect(problems.count == 1, "\(sql): \(problems)")
            #expect(problems.first?.contains(expected) == true, "\(sql): \(problems)")
            #expect(problems.first?.contains("replica 0000000000000001") == true, "\(sql): \(problems)")
        }
    }

    private static let wrongRowsOfSQLite = [
        (
            "INSERT INTO epochs VALUES (4, 9, NULL, x'00')",
            "The table epochs has 1 rows of a group that doesn't exist."
        ),
        (
            "UPDATE groups SET listed = 3, proved_revoked = 1",
            "by its counts it has 1 devices that proved themselves (1 revoked) and 3 that are listed (1 revoked), by its rows 1 devices that proved themselves (0 revoked) and 1 that are listed (1 revoked)."
        ),
        ("UPDATE groups SET id = x'00'", "CHECK constraint failed in groups"),
        (
            "UPDATE segments SET chain_after = x'00'",
            "A row can't be read: group 1: a chain has not 16 bytes."
        ),
    ]

    private static let wrongRowsOfPostgreSQL = [
        ("INSERT INTO epochs VALUES (40, 9, NULL, '')", "The table epochs has 1 rows"),
        ("UPDATE rosters SET proved = 2", "by its counts it has 2 devices"),
        ("DELETE FROM homes", "1 devices have proved themselves in groups that aren't recorded"),
        ("INSERT INTO homes VALUES (decode(repeat('07', 32), 'hex'), 1)", "The table homes has 1 rows"),
    ]

    @Test(
        "rows without their group, rows that break a rule, and counts that differ from the rows, are found",
        arguments: StoreKind.allCases)
    func rows(_ kind: StoreKind) throws {
        for (sql, expected) in kind == .sqlite
            ? CheckConformanceTests.wrongRowsOfSQLite : CheckConformanceTests.wrongRowsOfPostgreSQL
        {
            let problems = try problems(kind, after: sql)
            #expect(problems.count == 1 && problems.first?.contains(expected) == true, "\(sql): \(problems)")
        }
    }

    @Test("events of a missing epoch are found") func epochs() throws {
        let problems = try problems(.sqlite, after: "DELETE FROM epochs")
        #expect(problems.map { $0.contains("epoch of event 1") } == [true, true])
        // Laptops bring epochs to a server in any order.
        let found = try self.problems(
            .sqlite, after: "INSERT INTO epochs VALUES (1, 9, 8, x'00')",
            "INSERT INTO epochs VALUES (1, 7, NULL, x'00')")
        #expect(found == [])
    }
}
