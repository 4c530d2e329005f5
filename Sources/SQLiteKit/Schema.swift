import CSQLite

/// A program's database schema: its application ID, and the migrations that lead to the newest version.
package struct Schema: Sendable {
    /// The number that identifies the program in its files (<https://sqlite.org/pragma.html#pragma_application_id>).
    package let applicationID: Int32
    /// The SQL that leads from version `n` to `n + 1`, for `n` from 0. A published migration never changes; a
    /// new form is a new entry.
    package let migrations: [String]
    /// The entries that all migrations together produce; nil if the program doesn't list them. They are then
    /// found each time by running the migrations, which takes milliseconds.
    package let newest: Set<SchemaEntry>?
    /// Further entries that a file is allowed to have.
    let otherEntries: Set<SchemaEntry>

    /// The schema that `migrations` lead to. The first one starts from an empty file.
    ///
    /// - Parameters:
    ///   - newest: The entries that the migrations produce from an empty file; nil to find them by running
    ///     the migrations.
    ///   - otherEntries: Further entries that a file is allowed to have.
    package init(
        applicationID: Int32, migrations: [String], newest: Set<SchemaEntry>? = nil,
        otherEntries: Set<SchemaEntry> = []
    ) {
        self.applicationID = applicationID
        self.migrations = migrations
        self.newest = newest
        self.otherEntries = otherEntries
    }

    /// The version that the last migration leads to.
    package var version: Int64 { Int64(migrations.count) }
}

/// The reason why a program can't use a database file that isn't damaged.
package struct SchemaError: Error, Hashable, Sendable {
    /// The kinds of reasons.
    package enum Code: Hashable, Sendable {
        /// A newer version of the program has migrated the file.
        case newer
        /// The file must be migrated first, and this connection only reads.
        case older
        /// The file belongs to another program.
        case foreign
        /// The file has an entry that the program didn't make, or a changed one, or lacks one. The value
        /// names the entry.
        case altered(String)
    }

    /// The reason.
    package let code: Code
    /// The version of the file.
    package let found: Int64
    /// The newest version that the program knows.
    package let known: Int64

    /// An error about a file of version `found`; `known` is the newest version that the program knows.
    package init(code: Code, found: Int64, known: Int64) {
        self.code = code
        self.found = found
        self.known = known
    }
}

extension SchemaError: CustomStringConvertible {
    package var description: String {
        switch code {
        case .newer: "the database has version \(found), and this program knows versions up to \(known)"
        case .older: "the database has version \(found), and must be upgraded to version \(known) first"
        case .foreign: "the database belongs to another program"
        case .altered(let entry): "another program has changed the database's schema: its \(entry)"
        }
    }
}

extension DatabaseConnection {
    /// Migrates the file to the newest version, all in one transaction. A file that isn't new is copied first, to
    /// the path `SchemaUpgrade.copy(of:version:)`. If there is nothing to do, this reads only the header and the
    /// entries. A new file also changes to WAL mode. On a disk without `needsJournal`, the journal is in memory.
    ///
    /// - Parameter keepsCopy: Whether to keep a copy; false if there is another one already.
    /// - Returns: The upgrade, or nil if the file was new or current, or if no copy was kept.
    /// - Throws: `Failure`: a `SchemaError` if the file is newer, altered or another program's, an
    ///   `UpgradeError` if it can't be copied, an `SQLiteError` if it is damaged. The file stays as it was.
    @discardableResult
    package func migrate(to schema: Schema, keepsCopy: Bool = true) throws(Failure) -> SchemaUpgrade? {
        let upgrade = try isCurrent(schema) ? nil : runMigrations(to: schema, keepsCopy: keepsCopy)
        if disk.files.needsJournal {
            try keepWriteAheadLog()
        } else {
            try execute("PRAGMA journal_mode=MEMORY")
        }
        return upgrade
    }

    /// Migrates a file that isn't current. Returns the upgrade, or nil if no copy was kept.
    private func runMigrations(to schema: Schema, keepsCopy: Bool) throws(Failure) -> SchemaUpgrade? {
        var found = try transaction(.deferred) { () throws(Failure) in try version(checkedFor: schema) }
        guard found < schema.version else { return nil }
        if found == 0, disk.files.needsJournal { try useWriteAheadLog() }
        var upgrade: SchemaUpgrade?
        try transaction(.immediate) { () throws(Failure) in
            // Another connection may have migrated the file first.
            found = try version(checkedFor: schema)
            guard found < schema.version else {
                // This connection read the file before there were tables. It must read the schema again now.
                // Otherwise it would later report that there are no tables.
                _ = try hasTables()
                return
            }
            if found > 0, keepsCopy {
                do throws(UpgradeError) {
                    upgrade = try keepCopy(of: found, upgradedTo: schema.version)
                } catch { throw failure(.upgrade(error)) }
            }
            for migration in schema.migrations[Int(found)...] { try execute(migration) }
            try execute(
                "PRAGMA user_version=\(schema.version); PRAGMA application_id=\(schema.applicationID)")
        }
        if let upgrade { removeCopies(before: upgrade) }
        return upgrade
    }

    /// Checks that the file has exactly the version that the program knows and that version's entries. For
    /// connections that don't migrate the file.
    ///
    /// - Throws: `Failure`: a `SchemaError` if the version or an entry differs, or an `SQLiteError` if the
    ///   file is damaged.
    package func requireCurrent(_ schema: Schema) throws(Failure) {
        if try isCurrent(schema) { return }
        let found = try requireKnown(schema)
        guard found == schema.version else {
            throw failure(.schema(SchemaError(code: .older, found: found, known: schema.version)))
        }
    }

    /// Returns the file's version, which the program knows or can migrate from; 0 if the file is empty.
    ///
    /// - Throws: `Failure`: a `SchemaError` if it is another version or another program's file, or an
    ///   `SQLiteError` if it is damaged.
    @discardableResult
    package func requireKnown(_ schema: Schema) throws(Failure) -> Int64 {
        try transaction(.deferred) { () throws(Failure) in try version(checkedFor: schema) }
    }

    /// Whether the file has the newest version: the usual case.
    private func isCurrent(_ schema: Schema) throws(Failure) -> Bool {
        // A transaction, because another process may migrate the file meanwhile.
        try transaction(.deferred) { () throws(Failure) in
            let owner: Int64? = try first("PRAGMA application_id", read: { $0[0] })
            guard owner == Int64(schema.applicationID),
                try first("PRAGMA user_version", read: { $0[0] }) == schema.version
            else { return false }
            try requireEntries(of: schema, version: schema.version)
            return true
        }
    }

    /// The file's version; 0 if it is empty. Must be called in a transaction: otherwise a file that another
    /// connection is just creating would look like another program's.
    private func version(checkedFor schema: Schema) throws(Failure) -> Int64 {
        let found: Int64 = try first("PRAGMA user_version", read: { $0[0] }) ?? 0
        let owner: Int64 = try first("PRAGMA application_id", read: { $0[0] }) ?? 0
        let isEmpty = found == 0 && owner == 0 ? try !hasTables() : false
        guard isEmpty || owner == Int64(schema.applicationID) else {
            throw refuse(.foreign, found: found, schema)
        }
        guard (0...schema.version).contains(found) else { throw refuse(.newer, found: found, schema) }
        if !isEmpty { try requireEntries(of: schema, version: found) }
        return found
    }

    private func hasTables() throws(Failure) -> Bool {
        try first("SELECT 1 FROM sqlite_schema LIMIT 1", read: { _ in true }) ?? false
    }

    /// Returns the error to throw, after making sure that closing this connection writes nothing to the file.
    private func refuse(_ code: SchemaError.Code, found: Int64, _ schema: Schema) -> Failure {
        lockstep_keep_wal_on_close(handle)
        return failure(.schema(SchemaError(code: code, found: found, known: schema.version)))
    }
}
