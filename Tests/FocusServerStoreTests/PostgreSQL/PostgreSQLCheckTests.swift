import FocusCore
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServer
@testable import FocusServerStore

@Suite("What is wrong with a store in PostgreSQL", .ends(within: .seconds(600)))
struct PostgreSQLCheckTests {
    /// Returns the problems found in a store after these changes. The store has two replicas, each with four
    /// events in two segments.
    private func problems(after sql: String...) throws -> [String] {
        let address = try TestPostgreSQL.running.makeDatabase()
        let store = try PostgreSQLServerStore(at: address, access: .upgrading)
        try store.write { transaction in
            try transaction.addGroupWithEpoch(ServerFixture.group, now: 1)
            let number = try #require(try transaction.number(of: ServerFixture.group))
            try transaction.putDevice(digest(1), inGroup: number, now: 1)
            try transaction.listDevice(digest(2), inGroup: number, isRevoked: true, now: 1)
            for replica: UInt64 in [1, 1 << 63] {
                var author = Author(replica)
                for _ in 0..<2 {
                    let (segment, head) = try author.segment(2)
                    try transaction.addSegment(segment, through: head, group: number)
                }
            }
        }
        let connection = try PostgreSQLConnection(to: address)
        for statement in sql { _ = try connection.rows(statement) }
        let check = try store.check()
        if sql.isEmpty { #expect(check.events == 8 && check.groups == 1) }
        return check.problems.map(\.sentence)
    }

    @Test("a store that is whole has no problem") func whole() throws { #expect(try problems() == []) }

    @Test(
        "missing, changed and misplaced events of a replica are found, and reported once",
        arguments: [
            ("DELETE FROM segments WHERE replica = 1 AND first_seq = 1", "events from 1 to 2 are missing"),
            ("DELETE FROM segments WHERE replica = 1 AND first_seq = 3", "another last event"),
            ("DELETE FROM segments WHERE replica = 1", "another last event"),
            ("UPDATE segments SET first_seq = 2 WHERE replica = 1 AND first_seq = 3", "there twice"),
            ("UPDATE segments SET packed = '\\x00' WHERE replica = 1 AND first_seq = 1", "told apart"),
            ("UPDATE segments SET count = 9 WHERE replica = 1 AND first_seq = 1", "2 events and not 9"),
            (
                "UPDATE segments SET packed = set_byte(packed, 18, 8) WHERE replica = 1 AND first_seq = 1",
                "chain is another"
            ),
            ("UPDATE heads SET seq = 9 WHERE replica = 1", "another last event"),
            ("DELETE FROM heads WHERE replica = 1", "another last event"),
        ])
    func damage(sql: String, expected: String) throws {
        let problems = try problems(after: sql)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.contains(expected) == true, "\(problems)")
        #expect(problems.first?.contains("replica 0000000000000001") == true, "\(problems)")
    }

    @Test(
        "rows without their group, and counts that differ from the rows, are found",
        arguments: [
            ("INSERT INTO epochs VALUES (40, 9, NULL, '')", "The table epochs has 1 rows"),
            ("UPDATE rosters SET proved = 2", "by its counts it has 2 devices"),
            ("DELETE FROM homes", "1 devices have proved themselves in groups that aren't noted"),
            ("INSERT INTO homes VALUES (decode(repeat('07', 32), 'hex'), 1)", "The table homes has 1 rows"),
        ])
    func references(sql: String, expected: String) throws {
        let problems = try problems(after: sql)
        #expect(problems.count == 1 && problems.first?.contains(expected) == true, "\(problems)")
    }
}
