import FocusSync
package import SQLiteKit

/// A server's store in one SQLite file.
package final class SQLiteServerStore: ServerStore {
    /// The access of a connection.
    package enum Access: Hashable, Sendable {
        /// Reading only. The connection sees each commit immediately.
        case readOnly
        case readWrite
        /// Reading and writing. Creates the store if there is none, and upgrades it to this version. If
        /// `keepsCopy` is set, the file is copied before an upgrade.
        case upgrading(keepsCopy: Bool)

        /// As `upgrading`, with a copy.
        package static let readWriteCreate = Access.upgrading(keepsCopy: true)
    }

    let database: Database
    /// The content of the table `recent`, for all transactions of this connection.
    let recent = RecentSegments()
    /// The upgrade that opening the store made, or nil if there was none or no copy was kept.
    package let upgrade: SchemaUpgrade?

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - disk: The disk that `path` is on.
    ///   - hasLogRoom: Whether to make room for many commits at once in the write-ahead log
    ///     (`Database.preallocateLog`).
    /// - Throws: `SQLiteError`, `SchemaError`, `UpgradeError`.
    package init(
        at path: String, on disk: Disk = .machine, access: Access, hasLogRoom: Bool = false
    ) throws {
        let fileAccess: Database.Access =
            switch access {
            case .readOnly: .readOnly
            case .readWrite: .readWrite
            case .upgrading: .readWriteCreate
            }
        let database = try Database(path: path, on: disk, access: fileAccess)
        // Acknowledged events must survive a loss of power.
        if fileAccess != .readOnly { try database.setDurability(.full) }
        var upgrade: SchemaUpgrade?
        switch access {
        case .readOnly: try database.requireCurrent(.server)
        case .readWrite:
            try database.requireCurrent(.server)
            try database.keepWriteAheadLog()
        case .upgrading(let keepsCopy):
            upgrade = try database.migrate(to: .server, keepsCopy: keepsCopy)
        }
        if hasLogRoom { try database.preallocateLog() }
        self.database = database
        self.upgrade = upgrade
    }

    /// Runs `body` in a transaction that only reads.
    package func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try transaction(.deferred, body)
    }

    /// Runs `body` in a transaction that first waits for the current writer.
    package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate, body)
    }

    /// Checks the file and the logs in it.
    package func check() throws -> StoreCheck { try StoreCheck(self) }

    /// As `read` and `write`, for callers that use SQLite's transaction type.
    func transaction<Result>(
        _ mode: Database.TransactionMode, _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        // Another connection may have changed `recent` since the last transaction, so this one checks.
        recent.expire()
        do {
            return try database.transaction(mode) { try body(SQLiteTransaction(self)) }
        } catch {
            // The memory may have rows that the rollback removed from the table.
            recent.forget()
            throw error
        }
    }
}

/// A transaction of an SQLite store, for reading or writing. Readers get it as a `ServerSnapshot` only.
/// Its methods are in further files, one file for each subject.
struct SQLiteTransaction: ServerTransaction {
    private let store: SQLiteServerStore
    /// The database that runs the statements.
    var database: Database { _read { yield store.database } }

    /// The store's content of the table `recent`. Use `recent()` to get it as this transaction sees it.
    var recentSegments: RecentSegments { store.recent }

    init(_ store: SQLiteServerStore) { self.store = store }

    func withSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try database.savepoint(body)
        } catch {
            store.recent.forget()
            throw error
        }
    }

    func concernsOnlyRequestedRows(_ failure: any Error) -> Bool {
        guard database.isInTransaction else { return false }
        guard let failure = failure as? SQLiteError else { return true }
        switch failure.code {
        // These failures concern only the requested rows.
        case .corrupt, .constraint, .mismatch, .tooBig, .range: return true
        default: return false
        }
    }
}

extension SQLiteServerStore {
    /// Returns a description of a table in which a group has more rows than allowed, or nil if there is none.
    /// Counts all devices and invites. `GroupIndex.excess` checks events, bytes, epochs and replicas.
    package func excess() throws -> String? {
        // A group has at most `InviteLimits.ofGroup` open invites, and one more open invite for each proved
        // device. A trigger keeps as many ended invites as `InviteLimits.ofGroup`. There is also at most one
        // used invite for each proved device.
        let invites = 2 * InviteLimits.ofGroup + 2 * RosterSize.half
        for (table, limit) in [
            ("devices", Limits.devices), ("brought", Limits.devices), ("invites", invites),
        ] {
            let most: Int? = try database.first(
                """
                SELECT max(rows) FROM
                    (SELECT count(*) AS rows FROM \(table) WHERE group_number IS NOT NULL GROUP BY group_number)
                """
            ) { $0[0] }
            if let most, most > limit { return "\(most) rows of \(table), over \(limit)" }
        }
        return nil
    }
}
