import FocusCore
import FocusSync
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("A server's store in PostgreSQL", .ends(within: .seconds(600)))
struct PostgreSQLStoreTests {
    private let address: PostgreSQLAddress

    init() throws { address = try TestPostgreSQL.running.makeDatabase() }

    private func store(_ access: PostgreSQLServerStore.Access = .existing) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: access)
    }

    @Test(
        "a database without tables isn't opened before it is set up, and one of a newer version stays as it is"
    )
    func versions() throws {
        let missing = #expect(throws: PostgreSQLSchemaError.self) { _ = try store() }
        #expect(missing?.code == .older && missing?.found == 0)
        _ = try store(.upgrading)
        _ = try store()
        _ = try PostgreSQLConnection(to: address).rows("UPDATE focusd_store SET version = 99")
        for access in [PostgreSQLServerStore.Access.existing, .upgrading] {
            let newer = #expect(throws: PostgreSQLSchemaError.self) { _ = try store(access) }
            #expect(newer?.code == .newer && newer?.found == 99)
        }
    }

    /// Migrates the tables to a version newer than this program's.
    private func migrateFurther(_ patience: Duration? = nil) throws {
        let connection = try PostgreSQLConnection(to: address)
        if let patience { connection.patience = patience }
        try PostgreSQLSchema.migrate(
            connection,
            by: PostgreSQLSchema.migrations + [["ALTER TABLE devices ADD COLUMN later bigint"]])
    }

    @Test("tables are migrated to a later version, and their content stays") func upgrade() throws {
        let connection = try PostgreSQLConnection(to: address)
        _ = try store(.upgrading).write { try $0.addGroup(ServerFixture.group, now: instant(3)) }
        try migrateFurther()
        #expect(try PostgreSQLSchema.found(connection) == PostgreSQLSchema.version + 1)
        #expect(try connection.rows("SELECT created FROM groups").first?[0] == Int64(3))
        let newer = #expect(throws: PostgreSQLSchemaError.self) { _ = try store() }
        #expect(newer?.code == .newer)
    }

    @Test("when the first server of a database starts, nobody is connected") func noneConnected() throws {
        _ = try store(.upgrading)
        let connection = try PostgreSQLConnection(to: address)
        for statement in [
            "INSERT INTO groups (id, created) VALUES (decode(repeat('07', 16), 'hex'), 3)",
            "INSERT INTO rosters (group_number, proved) VALUES (1, 1)",
            "INSERT INTO homes (key, group_number) VALUES (decode(repeat('01', 32), 'hex'), 1)",
            """
            INSERT INTO devices (group_number, key, proved, enrolled, last_seen, connected, name)
            VALUES (1, decode(repeat('01', 32), 'hex'), true, 4, 5, 6, 'it')
            """,
        ] { _ = try connection.rows(statement) }
        let reader = try NewsReader(at: address, place: "here", now: .zero)
        let serving = try PostgreSQLServerStore(at: address, access: .existing, server: reader.server)
        #expect(try serving.check().problems == [])
        #expect(try serving.read { try $0.deviceSummaries().first?.connectedSince } == instant(6))
        #expect(try serving.write { try $0.noteNoneConnected() } == [1])
        #expect(try serving.read { try $0.deviceSummaries().first?.connectedSince } == nil)
        #expect(try serving.read { try $0.servers() } == ["here"])
    }

    @Test("only a sole user migrates tables, and a program of another version doesn't use them")
    func alone() throws {
        let connection = try PostgreSQLConnection(to: address)
        let opened = try store(.upgrading)
        var user: PostgreSQLConnection? = try PostgreSQLConnection(to: address)
        try user.map { try PostgreSQLTableLock.begin($0, version: PostgreSQLSchema.version) }
        let command = #expect(throws: PostgreSQLSchemaError.self) { try migrateFurther() }
        #expect(command?.code == .inUse(by: []) && command?.found == PostgreSQLSchema.version)
        user = nil
        let reader = try NewsReader(at: address, place: "here", now: .zero)
        let named = #expect(throws: PostgreSQLSchemaError.self) { try migrateFurther() }
        #expect(named?.code == .inUse(by: ["here"]))
        // A connection that was cut off meanwhile isn't let in again.
        _ = try connection.rows("UPDATE focusd_store SET version = 99")
        _ = try connection.rows(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(throws: PostgreSQLSchemaError.self) { _ = try opened.read { try $0.addresses() } }
        #expect(throws: PostgreSQLSchemaError.self) { try reader.connect() }
    }

    @Test(
        "the timeout of other statements doesn't apply to a migration")
    func slow() throws {
        let connection = try PostgreSQLConnection(to: address)
        _ = try store(.upgrading)
        // The migration is slow because it waits for a table that another connection has locked.
        try connection.begin(.writing)
        _ = try connection.rows("LOCK TABLE devices IN ACCESS SHARE MODE")
        let upgraded = ThreadTask { [self] in try migrateFurther(.seconds(2)) }
        #expect(try connection.waitsForLocks(1) { upgraded.isOver })
        _ = try connection.rows("SELECT pg_sleep(3)")
        #expect(!upgraded.isOver)
        try connection.commit()
        try upgraded.value()
    }

    @Test("servers that create the tables at once create them once")
    func together() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [address] in _ = try PostgreSQLServerStore(at: address, access: .upgrading) }
            }
            try await group.waitForAll()
        }
        #expect(try store().read { try $0.addresses() } == [])
    }

    @Test("each table of groups' rows has the group's number first in its key, and is partitioned by it")
    func keys() throws {
        _ = try store(.upgrading)
        var first: [String: String] = [:]
        try PostgreSQLConnection(to: address).rows(
            """
            SELECT relname::text, attname::text, relkind = 'p' FROM pg_class
            JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
            JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = indkey[0]
            WHERE NOT relispartition AND relnamespace = 'public'::regnamespace
            """
        ).forEach { row in
            let (name, column): (String, String) = (row[0], row[1])
            first[name] = column
            #expect((row[2] as Bool) == (column == "group_number"), "\(name)")
        }
        #expect(
            first == [
                "server": "only_row", "addresses": "place", "groups": "number", "homes": "key",
                "invites": "token_hash", "rosters": "group_number", "devices": "group_number",
                "brought": "group_number", "epochs": "group_number", "heads": "group_number",
                "segments": "group_number", "servers": "number", "news": "server",
            ])
    }

    @Test("a server with an outdated memory of a replica stores nothing, and is told the replica")
    func stale() throws {
        let (one, other) = (try store(.upgrading), try store())
        let group = try one.write { try $0.addGroup(ServerFixture.group, now: 1) }
        var author = Author(5)
        let (first, firstHead) = try author.segment(2)
        let (second, secondHead) = try author.segment(2)
        let (third, thirdHead) = try author.segment(2)
        try one.write { try $0.addSegment(first, through: firstHead, group: group) }
        // These segments have a gap, repeat events, and continue another branch.
        var parted = Author(5)
        let (branch, branchHead) = try parted.segment(1, epoch: EpochID(rawValue: 9))
        _ = branch
        let (tail, tailHead) = try parted.segment(2)
        for (segment, head) in [(third, thirdHead), (first, firstHead), (tail, tailHead)] {
            let error = #expect(throws: StaleCacheError.self) {
                try other.write { try $0.addSegment(segment, through: head, group: group) }
            }
            #expect(error == StaleCacheError(group: group, replica: author.replica))
        }
        _ = branchHead
        try other.write { transaction in
            try transaction.addSegment(second, through: secondHead, group: group)
            try transaction.addSegment(third, through: thirdHead, group: group)
        }
        #expect(try one.read { try $0.logs()[ServerFixture.group]?.head(of: author.replica) } == thirdHead)
    }

    @Test("a group that another process has deleted accepts nothing any more")
    func deleted() throws {
        let (one, other) = (try store(.upgrading), try store())
        let group = try one.write { try $0.addGroup(ServerFixture.group, now: 1) }
        _ = try other.write { try $0.takeOff(ServerFixture.group, now: 2) }
        var author = Author(5)
        let (segment, head) = try author.segment(1)
        let record = EpochRecord(naming: ServerFixture.epoch)
        for write in [
            { try $0.addSegment(segment, through: head, group: group) },
            { try $0.putEpoch(record, group: group) },
            { try $0.putDevice(digest(1), inGroup: group, now: 3) },
        ] as [(any ServerTransaction) throws -> Void] {
            #expect(throws: StaleCacheError(group: group, replica: nil)) { try one.write(write) }
        }
        while try one.write({ try $0.deleteRemains() }) {}
        #expect(try one.read { try $0.groupNumbers() }.isEmpty)
    }

    @Test(
        "a store with a lost connection goes on with a new one, and rolls back the open transaction"
    )
    func reconnecting() throws {
        let it = try store(.upgrading)
        let admin = try PostgreSQLConnection(to: address)
        func end() throws {
            _ = try admin.rows(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }
        try it.write { try $0.setAddresses(["one"]) }
        try end()
        #expect(try it.read { try $0.addresses() } == ["one"])
        #expect(throws: PostgreSQLError.self) {
            try it.write { transaction in
                try transaction.setAddresses(["two"])
                _ = try transaction.addresses()
                try end()
                do {
                    try transaction.part { try transaction.setAddresses(["three"]) }
                } catch {
                    #expect(!transaction.isOwn(error))
                    throw error
                }
            }
        }
        #expect(try it.read { try $0.addresses() } == ["one"])
    }

    @Test("a roster that a transaction has counted isn't changed by others before its end")
    func rosters() throws {
        let (one, other) = (try store(.upgrading), try store())
        let group = try one.write { try $0.addGroup(ServerFixture.group, now: 1) }
        _ = try PostgreSQLConnection(to: address).rows(
            "ALTER DATABASE \"\(try name())\" SET lock_timeout = '1ms'")
        try one.write { transaction in
            #expect(try transaction.rosterSize(of: group) == RosterSize())
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            // A server that only reads doesn't wait.
            #expect(try other.read { try $0.rosterSize(of: group) } == RosterSize())
        }
        #expect(try other.read { try $0.rosterSize(of: group) } == RosterSize(proved: 1))
    }

    private func name() throws -> String {
        try #require(try PostgreSQLConnection(to: address).rows("SELECT current_database()::text").first)[0]
    }
}
