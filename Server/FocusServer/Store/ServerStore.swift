import FocusCore
package import SQLiteKit

/// What the server keeps, in one SQLite file: a connection of one thread's (docs/architecture.md, "The server's
/// store").
package struct ServerStore: ~Copyable {
    let database: Database

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - disk: the disk that `path` is on.
    ///   - access: `.readWriteCreate` makes the file where there is none, and `.readOnly` sees each
    ///     commit as soon as it is made.
    /// - Throws: `SQLiteError`, `SchemaError`.
    package init(at path: String, on disk: Disk = .machine, access: Database.Access) throws {
        let database = try Database(path: path, on: disk, access: access)
        if access == .readOnly {
            try database.requireCurrent(.server)
        } else {
            // What was acknowledged survives a loss of power.
            try database.setDurability(.full)
            try database.migrate(to: .server)
        }
        self.database = database
    }

    /// Runs `body` in one transaction that only reads, and sees one moment of the store.
    func read<Result>(_ body: () throws -> Result) throws -> Result {
        try database.transaction(.deferred, body)
    }

    /// Runs `body` in one transaction that writes.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        try database.transaction(.immediate, body)
    }
}

// MARK: - The server itself

extension ServerStore {
    /// The greatest time the server has served, in milliseconds since the Unix epoch; 0 at first.
    package func greatestServed() throws -> Int64 {
        try database.first("SELECT greatest_served FROM server") { $0[0] } ?? 0
    }

    /// Keeps the greatest time served, as it is or, where the operator accepts an earlier clock, as they say.
    package func setGreatestServed(_ time: Int64) throws {
        try database.run("UPDATE server SET greatest_served = ?", time)
    }

    /// A number that grows with each change that a running server must act on.
    package func revision() throws -> Int64 {
        try database.first("SELECT revision FROM server") { $0[0] } ?? 0
    }

    /// Tells a running server to look at the devices anew.
    package func raiseRevision() throws {
        try database.run("UPDATE server SET revision = revision + 1")
    }

    /// Where invites tell laptops to connect to, best first.
    func addresses() throws -> [String] {
        var addresses: [String] = []
        try database.forEach("SELECT address FROM addresses ORDER BY place") { addresses.append($0[0]) }
        return addresses
    }

    /// Replaces the addresses.
    func setAddresses(_ addresses: [String]) throws {
        try database.run("DELETE FROM addresses")
        for (place, address) in addresses.enumerated() {
            try database.run("INSERT INTO addresses (place, address) VALUES (?, ?)", place, address)
        }
    }
}
