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
    private let database: TestPostgreSQL
    /// The database's name.
    private let name: String
    private let address: PostgreSQLAddress

    init() throws {
        database = try TestPostgreSQL.running
        name = try database.makeDatabaseName()
        address = try database.address(of: name)
    }

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

    @Test("when the first server of a database starts, nobody is connected")
    func noneConnected() throws {
        let group = try store(.upgrading).write { transaction in
            let group = try transaction.addGroup(ServerFixture.group, now: 1)
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            try transaction.record(Sighting(time: 6, connectedSince: 6), of: digest(1))
            return group
        }
        let reader = try NewsReader(at: address, place: "here", now: .zero)
        let serving = try PostgreSQLServerStore(at: address, access: .existing, server: reader.server)
        #expect(try serving.write { try $0.disconnectDevicesOfGoneServers() } == [group])
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
        _ = try other.write { try $0.deleteGroup(ServerFixture.group, now: 2) }
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

    @Test("a store with a lost connection goes on with a new one, and rolls back the open transaction")
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
                    try transaction.withSavepoint { try transaction.setAddresses(["three"]) }
                } catch {
                    #expect(!transaction.concernsOnlyRequestedRows(error))
                    throw error
                }
            }
        }
        #expect(try it.read { try $0.addresses() } == ["one"])
    }

    @Test(
        "a pooler that shares sessions is refused, whatever they did before, and no table is made",
        arguments: [(.transaction, false), (.transaction, true), (.statement, false)]
            as [(TestPooler.Mode, Bool)])
    func shared(mode: TestPooler.Mode, inTurn: Bool) throws {
        let pooler = try TestPooler(before: database, mode, inTurn: inTurn)
        let address = try pooler.address(of: name)
        for _ in 0..<3 {
            let refused = #expect(throws: PostgreSQLError.self) {
                _ = try PostgreSQLServerStore(at: address, access: .upgrading)
            }
            #expect(refused?.kind == .sharedSession, "\(String(describing: refused))")
            // The pooler also hands out sessions that other clients have left.
            let others = try (0..<3).map { _ in try PostgreSQLConnection(to: address) }
            for other in others { try? other.begin(.snapshot) }
            for other in others {
                try? other.wait()
                other.end()
                try? other.wait()
            }
        }
        let direct = #expect(throws: PostgreSQLSchemaError.self) {
            _ = try PostgreSQLServerStore(at: database.address(of: name), access: .existing)
        }
        #expect(direct?.found == 0)
    }

    @Test("a pooler that begins to share sessions later is noticed by others' prepared statements")
    func later() throws {
        let pooler = try TestPooler(before: database, .transaction)
        let (one, other) = (
            try PostgreSQLConnection(to: pooler.address(of: name)),
            try PostgreSQLConnection(to: pooler.address(of: name))
        )
        _ = try one.rows("SELECT 1")
        let error = #expect(throws: PostgreSQLError.self) { _ = try other.rows("SELECT 2") }
        #expect(error?.kind == .sharedSession)
    }

    @Test("a pooler that leaves each client its session works like the database itself")
    func own() throws {
        let pooler = try TestPooler(before: database, .session)
        let address = try pooler.address(of: name)
        _ = try PostgreSQLServerStore(at: address, access: .upgrading)
        let readers = try ["one", "other"].map { try NewsReader(at: address, place: $0, now: .zero) }
        let store = try PostgreSQLServerStore(at: address, access: .existing, server: readers[0].server)
        let number = try store.write { try $0.addGroup(GroupID(high: 0, low: 1), now: 1) }
        while readers[1].hear() == nil {}
        #expect(try readers[1].read(at: .zero).news == StoreNews(logs: [number]))
    }
}
