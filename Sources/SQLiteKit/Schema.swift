import CSQLite

/// What a program keeps in a database file: whose file it is, and how it came to its present form.
package struct Schema: Sendable {
    /// Says whose file it is (<https://sqlite.org/pragma.html#pragma_application_id>).
    package let applicationID: Int32
    /// The SQL that leads from version `n` to `n + 1`, for `n` from 0. What has been published never changes;
    /// a new form is a new entry.
    package let migrations: [String]
    /// What the migrations make in the end, if that is written down beforehand. Else a process finds it out by running
    /// them, which takes milliseconds.
    package let newest: Set<SchemaEntry>?
    /// What a file may have besides.
    let guests: Set<SchemaEntry>

    /// The schema that these migrations lead to, the first of them from an empty file.
    ///
    /// - Parameters:
    ///   - newest: What they make of an empty file; nil to find that out.
    ///   - guests: What a file may have besides.
    package init(
        applicationID: Int32, migrations: [String], newest: Set<SchemaEntry>? = nil,
        guests: Set<SchemaEntry> = []
    ) {
        self.applicationID = applicationID
        self.migrations = migrations
        self.newest = newest
        self.guests = guests
    }

    /// The version that the last migration leads to.
    package var version: Int64 { Int64(migrations.count) }
}

/// Why a program can't use a database file that is whole.
package struct SchemaError: Error, Hashable, Sendable {
    /// What keeps the program from using it.
    package enum Code: Hashable, Sendable {
        /// A newer version of the program has migrated the file.
        case newer
        /// The file must be migrated first, and this connection only reads.
        case older
        /// The file is another program's.
        case foreign
        /// The file has something that the program didn't make, or not so, or lacks something; what it is called.
        case altered(String)
    }

    /// What is the matter with the file.
    package let code: Code
    /// The version the file has.
    package let found: Int64
    /// The version the program knows.
    package let known: Int64

    /// An error about a file of the version `found`; `known` is the newest version that the program knows.
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
        case .older: "the database has version \(found), and must be brought to version \(known) first"
        case .foreign: "the database is another program's"
        case .altered(let entry): "another program has changed what the database consists of: its \(entry)"
        }
    }
}

extension Database {
    /// Brings the file to the newest version, all in one transaction, and into WAL mode where it is new. A file that
    /// isn't new is copied first, to a file beside it that its version names.
    /// Costs a look at the file's header and at what it consists of, if there is nothing to do.
    ///
    /// - Parameter keepsCopy: whether a copy is kept; else another one is there already.
    /// - Returns: what was done to a file that was not new.
    /// - Throws: `SchemaError` where the file is newer, altered or another program's, `UpgradeError` where it can't be copied,
    ///   `SQLiteError` where it is damaged; then the file is as it was.
    @discardableResult
    package func migrate(to schema: Schema, keepsCopy: Bool = true) throws -> Upgrade? {
        let upgrade = try isCurrent(schema) ? nil : bring(to: schema, keepsCopy: keepsCopy)
        try keepWriteAheadLog()
        return upgrade
    }

    private func bring(to schema: Schema, keepsCopy: Bool) throws -> Upgrade? {
        var found = try transaction(.deferred) { try version(checkedFor: schema) }
        guard found < schema.version else { return nil }
        if found == 0 { try useWriteAheadLog() }
        var upgrade: Upgrade?
        try transaction(.immediate) {
            // Another connection may have been first.
            found = try version(checkedFor: schema)
            guard found < schema.version else {
                // This connection has seen it without tables. It has to hear of them while nothing keeps it from that:
                // later it would say that there are none.
                _ = try hasTables()
                return
            }
            if found > 0, keepsCopy { upgrade = try keepCopy(of: found, upgradedTo: schema.version) }
            for migration in schema.migrations[Int(found)...] { try execute(migration) }
            try execute(
                "PRAGMA user_version=\(schema.version); PRAGMA application_id=\(schema.applicationID)")
        }
        if let upgrade { removeCopies(before: upgrade) }
        return upgrade
    }

    /// Makes sure that the file has exactly the version that the program knows, and consists of what that has; for
    /// connections that don't upgrade it.
    ///
    /// - Throws: `SchemaError`, or `SQLiteError` where the file is damaged.
    package func requireCurrent(_ schema: Schema) throws {
        if try isCurrent(schema) { return }
        let found = try requireKnown(schema)
        guard found == schema.version else {
            throw SchemaError(code: .older, found: found, known: schema.version)
        }
    }

    /// The file's version, which is one that the program knows or could upgrade; 0 where it is empty.
    ///
    /// - Throws: `SchemaError`, or `SQLiteError` where the file is damaged.
    @discardableResult
    package func requireKnown(_ schema: Schema) throws -> Int64 {
        try transaction(.deferred) { try version(checkedFor: schema) }
    }

    /// Whether the file is of the version that the program knows, as nearly always.
    private func isCurrent(_ schema: Schema) throws -> Bool {
        // Another process may upgrade it meanwhile.
        try transaction(.deferred) {
            let owner: Int64? = try first("PRAGMA application_id", read: { $0[0] })
            guard owner == Int64(schema.applicationID),
                try first("PRAGMA user_version", read: { $0[0] }) == schema.version
            else { return false }
            try requireEntries(of: schema, version: schema.version)
            return true
        }
    }

    /// The file's version: 0 where it is empty. To be asked in a transaction, since another connection may be
    /// making the file: half of what it says would be another program's.
    private func version(checkedFor schema: Schema) throws -> Int64 {
        let found: Int64 = try first("PRAGMA user_version", read: { $0[0] }) ?? 0
        let owner: Int64 = try first("PRAGMA application_id", read: { $0[0] }) ?? 0
        let isEmpty = try found == 0 && owner == 0 && !hasTables()
        guard isEmpty || owner == Int64(schema.applicationID) else {
            throw refuse(.foreign, found: found, schema)
        }
        guard (0...schema.version).contains(found) else { throw refuse(.newer, found: found, schema) }
        if !isEmpty { try requireEntries(of: schema, version: found) }
        return found
    }

    private func hasTables() throws -> Bool {
        try first("SELECT 1 FROM sqlite_schema LIMIT 1", read: { _ in true }) ?? false
    }

    /// The error to throw, after making sure that closing this connection doesn't write to the file either.
    private func refuse(_ code: SchemaError.Code, found: Int64, _ schema: Schema) -> SchemaError {
        lockstep_keep_wal_on_close(handle)
        return SchemaError(code: code, found: found, known: schema.version)
    }
}
