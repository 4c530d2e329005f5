import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import Testing

@testable import FocusServer
@testable import FocusServerStore
@testable import FocusWriter

@Suite struct StoreCheckTests {
    /// Returns the problems found in a store after these changes. The store has two replicas with 3 and 4
    /// events, in two segments each.
    private func problems(after sql: String...) throws -> [String] {
        let fixture = try ServerFixture()
        for replica: UInt64 in [1, 2] {
            var author = Author(replica)
            for count in [2, Int(replica)] {
                _ = try fixture.run([
                    .merge(
                        author.write(count, bodyLength: 1_936), ServerFixture.group, by: digest(1), from: 9)
                ]
                )
            }
        }
        // A change that the tables' constraints forbid stands for damage.
        try fixture.store.database.execute("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON")
        for statement in sql { try fixture.store.database.execute(statement) }
        try fixture.store.database.execute("PRAGMA ignore_check_constraints=OFF")
        let check = try StoreCheck(fixture.store)
        if sql.isEmpty { #expect(check.events == 7 && check.groups == 1) }
        return check.problems.map(\.sentence)
    }

    @Test("a store that is whole has no problem") func whole() throws {
        #expect(try problems().isEmpty)
    }

    @Test(
        "missing, changed and misplaced events of a replica are found, and reported once",
        arguments: [
            ("DELETE FROM segments WHERE replica = 1 AND first_seq = 1", "events from 1 to 2 are missing"),
            ("UPDATE segments SET first_seq = 2 WHERE replica = 1 AND first_seq = 3", "there twice"),
            ("UPDATE segments SET packed = zeroblob(20) WHERE replica = 1 AND first_seq = 1", "told apart"),
            ("UPDATE segments SET count = 9 WHERE replica = 1 AND first_seq = 1", "2 events and not 9"),
            (
                "UPDATE segments SET chain_before = randomblob(16) WHERE replica = 1 AND first_seq = 3",
                "don't follow"
            ),
            (
                "UPDATE segments SET chain_after = randomblob(16) WHERE replica = 1 AND first_seq = 3",
                "chain is another"
            ),
            ("UPDATE segments SET last_stamp = 5 WHERE replica = 1 AND first_seq = 3", "chain is another"),
            ("UPDATE heads SET seq = 9 WHERE replica = 1", "another last event"),
            ("DELETE FROM heads WHERE replica = 1", "another last event"),
            ("UPDATE segments SET first_seq = -1 WHERE replica = 1 AND first_seq = 1", "missing"),
            (
                """
                UPDATE segments SET packed = CAST(substr(packed, 1, 18) || x'08' || substr(packed, 20) AS BLOB)
                WHERE replica = 1 AND first_seq = 1
                """, "chain is another"
            ),
            (
                """
                UPDATE segments SET packed = CAST(zeroblob(8) || substr(packed, 9) AS BLOB)
                WHERE replica = 1 AND first_seq = 3
                """, "stamp of event 3 doesn't rise"
            ),
        ])
    func damage(sql: String, expected: String) throws {
        let problems = try problems(after: sql)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.contains(expected) == true, "\(problems)")
        #expect(problems.first?.contains("replica 0000000000000001") == true, "\(problems)")
    }

    @Test("events of a missing epoch are found") func epochs() throws {
        #expect(
            try problems(after: "DELETE FROM epochs").map { $0.contains("epoch of event 1") } == [true, true])
        // Laptops bring epochs to a server in any order.
        let problems = try problems(
            after: "INSERT INTO epochs VALUES (1, 9, 8, x'00')",
            "INSERT INTO epochs VALUES (1, 7, NULL, x'00')")
        #expect(problems == [])
    }

    @Test("rows of a missing group are found") func references() throws {
        let problems = try problems(after: "INSERT INTO epochs VALUES (4, 9, NULL, x'00')")
        #expect(problems == ["The table epochs has 1 rows of a group that isn't there."])
    }

    @Test("a roster with wrong counts is found") func rosters() throws {
        let rows = [
            "INSERT INTO devices (key, group_number, proved, enrolled, last_seen) VALUES (zeroblob(32), 1, 0, 0, 0)",
            "INSERT INTO devices (key, group_number, proved, enrolled, last_seen) VALUES (randomblob(32), 1, 1, 0, 0)",
            "UPDATE devices SET revoked = 1 WHERE key = zeroblob(32)",
        ]
        #expect(try problems(after: rows[0], rows[1], rows[2]) == [])
        let problems = try problems(
            after: rows[0], rows[1], rows[2], "UPDATE groups SET listed = 3, proved_revoked = 1")
        #expect(problems.count == 1)
        #expect(
            problems.first?.contains(
                "by its counts it has 2 devices that proved themselves (1 revoked) and 3 that are listed (1 revoked), by its rows 2 devices that proved themselves (0 revoked) and 1 that are listed (1 revoked)."
            ) == true, "\(problems)")
    }

    @Test("rows that break a table's rules are found") func rules() throws {
        #expect(try problems(after: "UPDATE groups SET id = x'00'") == ["CHECK constraint failed in groups"])
        let problems = try problems(after: "UPDATE segments SET chain_after = x'00'")
        #expect(problems == ["A row can't be read: group 1: a chain has not 16 bytes."])
    }
}
