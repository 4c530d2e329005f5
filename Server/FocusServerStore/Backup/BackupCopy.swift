package import FocusCore
package import FocusSeal
package import SQLiteKit

/// The content of a backup: a copy of the store at one moment, with the server's keys in a table of their
/// own. It uses only databases, no other files, so it also works on the simulator's disks.
package struct BackupCopy {
    private let file: String
    private let disk: Disk

    /// The copy in this file.
    package init(file: String, on disk: Disk = .machine) {
        self.file = file
        self.disk = disk
    }

    /// Writes the copy, with these keys in PEM format. A running server can keep writing to the store.
    ///
    /// - Throws: `SQLiteError`, also if the file exists already.
    package func write(_ store: SQLiteServerStore, with keys: [SecretBytes]) throws {
        try store.database.copy(to: file)
        let copy = try Database(path: file, on: disk, access: .readWrite)
        try copy.setDurability(.full)
        try copy.transaction(.immediate) {
            try copy.execute(Schema.backupKeys)
            for key in keys { try copy.run("INSERT INTO backup_identity (pem) VALUES (?)", key.exposed()) }
        }
    }

    /// Turns this copy into a server's store: upgrades it to this version, checks it, and ends the unused
    /// invites. It changes the file, so the backup itself must be another file.
    ///
    /// - Parameter now: The time recorded as the end of the invites.
    /// - Returns: The server's key, then the announced one if there is one.
    /// - Throws: `RestoreFailure` if the copy is damaged or has no key; `SQLiteError`, `SchemaError`.
    package func becomeStore(now: SharedInstant) throws -> [SecretBytes] {
        // The upgrade needs no copy of the old version: the backup itself still has it.
        let store = try SQLiteServerStore(at: file, on: disk, access: .upgrading(keepsCopy: false))
        let check = try StoreCheck(store)
        guard check.isWhole else { throw RestoreFailure.isDamaged(check.problems) }
        var keys: [SecretBytes] = []
        let tables: Int64? = try store.database.first(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'backup_identity'"
        ) { $0[0] }
        if tables == 1 {
            try store.database.forEach("SELECT pem FROM backup_identity ORDER BY rowid") {
                keys.append(SecretBytes($0[0]))
            }
        }
        guard !keys.isEmpty else { throw RestoreFailure.hasNoKey }
        // The deleted keys must not stay readable in the file's free pages.
        try store.database.execute("PRAGMA secure_delete=ON")
        try store.write { transaction in
            try store.database.execute("DROP TABLE backup_identity")
            try transaction.endInvites(now: now)
        }
        return keys
    }

    /// Switches the file to a write-ahead log, which a running server needs. Call this once the file is at
    /// its final path.
    package func goLive() throws {
        try SQLiteServerStore(at: file, on: disk, access: .readWrite).database.useWriteAheadLog()
    }
}

/// The reason why a backup can't become a server's store.
package enum RestoreFailure: Error, Hashable, Sendable {
    /// The copy has these problems.
    case isDamaged([StoreProblem])
    /// It contains no key of a server.
    case hasNoKey
}
