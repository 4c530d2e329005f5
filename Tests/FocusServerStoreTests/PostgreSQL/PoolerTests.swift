import FocusCore
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerStore

@Suite("A server's store behind a pooler", .ends(within: .seconds(120)))
struct PoolerTests {
    private let database: TestPostgreSQL
    private let name: String

    init() throws {
        database = try TestPostgreSQL.running
        name = try database.makeDatabaseName()
    }

    @Test(
        "that shares sessions between transactions is refused, whatever they did before, and no table is made",
        arguments: [false, true])
    func shared(inTurn: Bool) throws {
        let pooler = try TestPooler(before: database, .transaction, inTurn: inTurn)
        let address = try pooler.address(of: name)
        for _ in 0..<3 {
            let refused = #expect(throws: PostgreSQLError.self) {
                _ = try PostgreSQLServerStore(at: address, access: .upgrading)
            }
            #expect(refused?.kind == .sharedSession, "\(String(describing: refused))")
            // The pooler also hands out sessions that other clients have left.
            let others = try (0..<3).map { _ in try PostgreSQLConnection(to: address) }
            for other in others { try other.begin(.snapshot) }
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

    @Test("that shares sessions between statements is refused")
    func statements() throws {
        let pooler = try TestPooler(before: database, .statement)
        let refused = #expect(throws: PostgreSQLError.self) {
            _ = try PostgreSQLServerStore(at: pooler.address(of: name), access: .upgrading)
        }
        #expect(refused?.kind == .sharedSession, "\(String(describing: refused))")
    }

    @Test("that begins to share sessions later is noticed by others' prepared statements")
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

    @Test("that leaves each client its session works like the database itself")
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
