import FocusSync
package import SQLiteKit

/// A server's store in one SQLite file.
package final class SQLiteServerStore: ServerStore {
    /// What a connection may do.
    package enum Access: Hashable, Sendable {
        /// Sees each commit as soon as it is made.
        case readOnly
        case readWrite
        /// Makes the store where there is none, and brings it to this version.
        case upgrading(keepsCopy: Bool)

        /// The same, with a copy of what is upgraded.
        package static let readWriteCreate = Access.upgrading(keepsCopy: true)
    }

    let database: Database
    /// What stands in the table `recent`.
    let recent = RecentSegments()
    /// What was done to a store of an older version as it was opened.
    package let upgrade: Upgrade?

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - disk: the disk that `path` is on.
    ///   - hasLogRoom: whether room is made for many commits at once (`Database.makeRoomInLog`).
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
        // What was acknowledged survives a loss of power.
        if fileAccess != .readOnly { try database.setDurability(.full) }
        var upgrade: Upgrade?
        switch access {
        case .readOnly: try database.requireCurrent(.server)
        case .readWrite:
            try database.requireCurrent(.server)
            try database.keepWriteAheadLog()
        case .upgrading(let keepsCopy):
            upgrade = try database.migrate(to: .server, keepsCopy: keepsCopy)
        }
        if hasLogRoom { try database.makeRoomInLog() }
        self.database = database
        self.upgrade = upgrade
    }

    /// Runs `body` in a transaction that only reads.
    package func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try transaction(.deferred, body)
    }

    /// Runs `body` in a transaction that waits for whoever writes first.
    package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate, body)
    }

    /// What is wrong with the file, and with the logs in it.
    package func check() throws -> StoreCheck { try StoreCheck(self) }

    /// As `read` and `write`, for what knows that it is SQLite.
    func transaction<Result>(
        _ mode: Database.TransactionMode, _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        recent.expire()
        do {
            return try database.transaction(mode) { try body(SQLiteTransaction(self)) }
        } catch {
            recent.forget()
            throw error
        }
    }
}

/// A transaction of an SQLite store's, of either kind: only `ServerSnapshot` is given to who reads. What is done to
/// the tables of one subject has a file of its own.
struct SQLiteTransaction: ServerTransaction {
    private let store: SQLiteServerStore
    /// What the statements are run on.
    var database: Database { _read { yield store.database } }

    /// What stands in the table `recent`; `recent()` is what this transaction sees of it.
    var recentSegments: RecentSegments { store.recent }

    init(_ store: SQLiteServerStore) { self.store = store }

    func part<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try database.part(body)
        } catch {
            store.recent.forget()
            throw error
        }
    }

    func isOwn(_ failure: any Error) -> Bool {
        guard database.isInTransaction else { return false }
        guard let failure = failure as? SQLiteError else { return true }
        switch failure.code {
        case .corrupt, .constraint, .mismatch, .tooBig, .range: return true
        default: return false
        }
    }
}

extension SQLiteServerStore {
    /// What there are more rows of than some group may have, for people; nil where there aren't. What counts as events,
    /// bytes, epochs and replicas its log knows (`GroupIndex.excess`). Looks at all devices and invites.
    package func excess() throws -> String? {
        // Open ones, one more of each device that had none, those that ended, and what each device came in by.
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
