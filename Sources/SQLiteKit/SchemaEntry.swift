/// A row of `sqlite_schema`: a table, an index, a trigger or a view. It is compared byte by byte, because
/// SQLite distinguishes texts that only look the same.
package struct SchemaEntry: Hashable, Sendable {
    private let kind: [UInt8]
    private let name: [UInt8]
    private let table: [UInt8]
    /// Empty for an index that SQLite makes by itself.
    private let sql: [UInt8]

    /// The entry that a statement makes. The statement must be a `CREATE TABLE`, or a `CREATE INDEX` with the
    /// table after `ON`. Its names must not be quoted.
    package init(_ sql: String) {
        let words = sql.utf8.prefix(120).split(maxSplits: 6) { " \n(".utf8.contains($0) }.map { Array($0) }
        let isTable = sql.hasPrefix("CREATE TABLE ")
        kind = Array((isTable ? "table" : "index").utf8)
        name = words.count > 2 ? words[2] : []
        table = isTable ? name : words.count > 4 ? words[4] : []
        self.sql = Array(sql.utf8)
    }

    /// The index that SQLite makes by itself for a UNIQUE constraint of a table.
    package init(automaticIndexOf table: String) {
        kind = Array("index".utf8)
        name = Array("sqlite_autoindex_\(table)_1".utf8)
        self.table = Array(table.utf8)
        sql = []
    }

    fileprivate init(_ row: borrowing Row) {
        (kind, name, table, sql) = (row[0], row[1], row[2], row[3])
    }

    /// The kind and the name, for messages.
    fileprivate var words: String {
        String(decoding: kind, as: UTF8.self) + " " + String(decoding: name, as: UTF8.self)
    }
}

extension SchemaEntry: CustomStringConvertible {
    /// The statement that makes the entry; empty for an index that SQLite makes by itself.
    package var description: String { String(decoding: sql, as: UTF8.self) }
}

extension DatabaseConnection {
    /// Returns all entries of the database's schema, in no particular order.
    package func entries() throws(Failure) -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        try forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { entries.append(SchemaEntry($0)) }
        return entries
    }

    /// Checks that the database has exactly the entries that the migrations up to `version` make. A file from
    /// somebody else may have a trigger or a view added, or a table that ignores what is inserted.
    ///
    /// - Throws: `Failure`: a `SchemaError` with `.altered` if an entry differs.
    func requireEntries(of schema: Schema, version: Int64) throws(Failure) {
        let found = try entries().filter { !schema.otherEntries.contains($0) }
        let matches = { (expected: Set<SchemaEntry>) in
            found.count == expected.count && Set(found) == expected
        }
        // `schema.newest` only saves time. If it is out of date, the result of the migrations decides.
        if version == schema.version, let newest = schema.newest, matches(newest) { return }
        let expected: Set<SchemaEntry>
        do throws(DatabaseFailure) {
            expected = try Schema.entriesMade(
                by: Array(schema.migrations.prefix(Int(clamping: version))), on: disk)
        } catch { throw failure(error) }
        if matches(expected) { return }
        let other = expected.symmetricDifference(found).map { $0.words }.min() ?? "one entry twice"
        throw failure(
            .schema(SchemaError(code: .altered(other), found: version, known: schema.version)))
    }
}

extension Schema {
    /// Returns the schema with the entries that its migrations make, for a program that doesn't list them.
    ///
    /// Cost: runs the migrations, which takes some milliseconds.
    package func listingEntries(on disk: Disk) -> Schema {
        Schema(
            applicationID: applicationID, migrations: migrations,
            newest: try? Schema.entriesMade(by: migrations, on: disk), otherEntries: otherEntries)
    }

    /// Returns the entries that migrations make in an empty database. They run in memory, which takes some
    /// milliseconds.
    package static func entriesMade(
        by migrations: [String], on disk: Disk
    ) throws(DatabaseFailure) -> Set<SchemaEntry> {
        let model = try emptyDatabase(on: disk)
        try model.transaction(.immediate) { () throws(DatabaseFailure) in
            for migration in migrations { try model.execute(migration) }
        }
        return Set(try model.entries())
    }

    private static func emptyDatabase(
        on disk: Disk
    ) throws(DatabaseFailure) -> DatabaseConnection<DatabaseFailure> {
        do throws(SQLiteError) {
            return try .init(path: ":memory:", on: disk, access: .readWrite) { $0 }
        } catch { throw .sqlite(error) }
    }
}
