package import FocusServerStore
package import PostgreSQLKit
import Testing

/// A database of a test's own with the fixture's group and member in it, and a connection of an administrator's.
package struct DatabaseFixture {
    package let address: PostgreSQLAddress
    package let administrator: PostgreSQLConnection
    /// The group's, in the database.
    package let number: Int64

    package init() throws {
        address = try ServerFixture.makeDatabase()
        administrator = try PostgreSQLConnection(to: address)
        let number = try PostgreSQLServerStore(at: address, access: .existing).read {
            try $0.number(of: ServerFixture.group)
        }
        self.number = try #require(number)
    }

    /// The store, as a server of this number has it where one is given.
    package func open(as server: Int64? = nil) throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore(at: address, access: .existing, server: server)
    }
}
