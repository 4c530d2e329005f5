import FocusCore
package import SQLiteKit

/// What the server keeps, in one SQLite file: a connection of one thread's (docs/architecture.md, "The server's
/// store").
package struct ServerStore: ~Copyable {
    /// What a connection may do.
    package enum Access: Hashable, Sendable {
        /// Sees each commit as soon as it is made.
        case readOnly
        /// The same, also of a store that an older version has left: it has all that a check needs.
        case readOlder
        case readWrite
        /// Makes the store where there is none, and brings it to this version.
        case upgrading(keepsCopy: Bool)

        /// The same, with a copy of what is upgraded.
        package static let readWriteCreate = Access.upgrading(keepsCopy: true)
    }

    let database: Database
    /// What was done to a store of an older version as it was opened.
    package let upgrade: Upgrade?

    /// How many pages were asked for since it was opened.
    package var pagesTouched: Int { database.pagesTouched }

    /// Opens the store.
    ///
    /// - Parameter disk: the disk that `path` is on.
    /// - Throws: `SQLiteError`, `SchemaError`, `UpgradeError`.
    package init(at path: String, on disk: Disk = .machine, access: Access) throws {
        let fileAccess: Database.Access =
            switch access {
            case .readOnly, .readOlder: .readOnly
            case .readWrite: .readWrite
            case .upgrading: .readWriteCreate
            }
        let database = try Database(path: path, on: disk, access: fileAccess)
        // What was acknowledged survives a loss of power.
        if fileAccess != .readOnly { try database.setDurability(.full) }
        var upgrade: Upgrade?
        switch access {
        case .readOnly: try database.requireCurrent(.server)
        case .readOlder: try database.requireKnown(.server)
        case .readWrite:
            try database.requireCurrent(.server)
            try database.keepWriteAheadLog()
        case .upgrading(let keepsCopy):
            upgrade = try database.migrate(to: .server, keepsCopy: keepsCopy)
        }
        self.database = database
        self.upgrade = upgrade
    }

    /// Runs `body` in one transaction that only reads, and sees one moment of the store.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        try database.transaction(.deferred, body)
    }

    /// Runs `body` in one transaction that writes.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        try database.transaction(.immediate, body)
    }
}

extension ServerStore {
    /// Runs `body` as a part of the transaction that is open, which goes on without it where it throws, unless that has
    /// ended all of it.
    package func part<Result>(_ body: () throws -> Result) throws -> Result { try database.part(body) }

    /// Whether what failed is the matter of the rows that were asked for alone, so that the transaction may go on: what
    /// stands in them is damaged, or contradicts what is to be written. A disk that is full or fails is everybody's.
    package func isOwn(_ failure: any Error) -> Bool {
        guard database.isInTransaction else { return false }
        guard let failure = failure as? SQLiteError else { return true }
        switch failure.code {
        case .corrupt, .constraint, .mismatch, .tooBig, .range: return true
        default: return false
        }
    }
}

// MARK: - The server itself

extension ServerStore {
    /// Where invites tell laptops to connect to, best first.
    package func addresses() throws -> [String] {
        var addresses: [String] = []
        try database.forEach("SELECT address FROM addresses ORDER BY place") { addresses.append($0[0]) }
        return addresses
    }

    /// Replaces the addresses.
    package func setAddresses(_ addresses: [String]) throws {
        try database.run("DELETE FROM addresses")
        for (place, address) in addresses.enumerated() {
            try database.run("INSERT INTO addresses (place, address) VALUES (?, ?)", place, address)
        }
    }
}
