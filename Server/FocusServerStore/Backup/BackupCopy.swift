package import FocusCore
package import FocusSeal
package import SQLiteKit

/// What a backup is made of: a copy of the store as it stood at one moment, with the server's keys in a table of their own.
/// It knows databases alone, so that the simulator's disks do.
package struct BackupCopy {
    private let file: String
    private let disk: Disk

    /// The copy in this file.
    package init(file: String, on disk: Disk = .machine) {
        self.file = file
        self.disk = disk
    }

    /// Writes it, with these keys as PEM. A server that runs may go on meanwhile.
    ///
    /// - Throws: `SQLiteError`, where the file is there already too.
    package func write(_ store: SQLiteServerStore, with keys: [SecretBytes]) throws {
        try store.database.copy(to: file)
        let copy = try Database(path: file, on: disk, access: .readWrite)
        try copy.setDurability(.full)
        try copy.transaction(.immediate) {
            try copy.execute(Schema.backupKeys)
            for key in keys { try copy.run("INSERT INTO backup_identity (pem) VALUES (?)", key.exposed()) }
        }
    }

    /// Makes a server's store of it: brings it to this version, checks it, and ends the invites that nobody had used. The
    /// backup itself has to be elsewhere.
    ///
    /// - Parameter now: when the invites end.
    /// - Returns: the server's key, and the announced one where there is one.
    /// - Throws: `CopyFailure` where it is damaged; `SQLiteError`, `SchemaError`.
    package func becomeStore(now: SharedInstant) throws -> [SecretBytes] {
        // The backup itself stays as it is, so of its copy none is kept.
        let store = try SQLiteServerStore(at: file, on: disk, access: .upgrading(keepsCopy: false))
        let check = try StoreCheck(store)
        guard check.isWhole else { throw CopyFailure.isDamaged(check.problems) }
        var keys: [SecretBytes] = []
        let tables: Int64? = try store.database.first(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'backup_identity'"
        ) { $0[0] }
        if tables == 1 {
            try store.database.forEach("SELECT pem FROM backup_identity ORDER BY rowid") {
                keys.append(SecretBytes($0[0]))
            }
        }
        guard !keys.isEmpty else { throw CopyFailure.hasNoKey }
        // The key isn't left in a page that is free.
        try store.database.execute("PRAGMA secure_delete=ON")
        try store.write { transaction in
            try store.database.execute("DROP TABLE backup_identity")
            try transaction.endInvites(now: now)
        }
        return keys
    }

    /// Has the store written as a running server needs it, once the file has its place.
    package func goLive() throws {
        try SQLiteServerStore(at: file, on: disk, access: .readWrite).database.useWriteAheadLog()
    }
}

/// Why a backup makes no server's store.
package enum CopyFailure: Error, Hashable, Sendable {
    /// All of this is wrong with it.
    case isDamaged([StoreProblem])
    /// There is no server's key in it.
    case hasNoKey
}
