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

    /// Opens the store, as the server with the number `server` if one is given.
    package func open(as server: Int64? = nil) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: .existing, server: server)
    }
}
