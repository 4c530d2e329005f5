package import FocusServerCore
package import FocusServerStore
package import PostgreSQLKit
import Testing

/// A database for one test, with the fixture's group and member in it, and an administrator's connection to
/// it.
package struct DatabaseFixture {
    package let address: PostgreSQLAddress
    package let administrator: PostgreSQLConnection
    /// The group's number in the database.
    package let number: Int64

    package init() throws {
        address = try ServerFixture.makeDatabase()
        administrator = try PostgreSQLConnection(to: address)
        let number = try PostgreSQLServerStore(at: address, access: .existing).read {
            try $0.number(of: ServerFixture.group)
        }
        self.number = try #require(number)
    }

    /// Returns a writer that keeps up with other servers, of the server with the number `server` if one is
    /// given.
    package func writer(as server: Int64? = nil) throws -> LogWriter {
        try LogWriter(on: open(as: server), follows: true)
    }

    /// Opens the store, as the server with the number `server` if one is given.
    package func open(as server: Int64? = nil) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: .existing, server: server)
    }
}

extension PostgreSQLConnection {
    /// Waits until `count` connections to the same database wait for locks.
    ///
    /// - Returns: False if they don't after 10 seconds, or if `isOver` returns true.
    package func waitsForLocks(_ count: Int, unless isOver: () -> Bool = { false }) throws -> Bool {
        for _ in 0..<1_000 {
            let found: Int? = try rows(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            ).first?[0]
            if found == count { return true }
            if isOver() { return false }
            _ = try rows("SELECT pg_stat_clear_snapshot(), pg_sleep(0.01)")
        }
        return false
    }
}
