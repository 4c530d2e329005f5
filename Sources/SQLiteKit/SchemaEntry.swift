import Synchronization

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
        let words = sql.utf8.prefix(120).split(maxSplits: 6) { " \n(".utf8.contains($0) }.map(Array.init)
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

extension Database {
    /// Returns all entries of the database's schema, in no particular order.
    package func entries() throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        try forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { entries.append(SchemaEntry($0)) }
        return entries
    }

    /// Checks that the database has exactly the entries that the migrations up to `version` make. A file from
    /// somebody else may have a trigger or a view added, or a table that ignores what is inserted.
    ///
    /// - Throws: `SchemaError` with `.altered` if an entry differs.
    func requireEntries(of schema: Schema, version: Int64) throws {
        let found = try entries().filter { !schema.otherEntries.contains($0) }
        let matches = { (expected: Set<SchemaEntry>) in
            found.count == expected.count && Set(found) == expected
        }
        // `schema.newest` only saves time. If it is out of date, the result of the migrations decides.
        if version == schema.version, let newest = schema.newest, matches(newest) { return }
        let expected = try schema.entries(of: version)
        if matches(expected) { return }
        let other = expected.symmetricDifference(found).map(\.words).min() ?? "one entry twice"
        throw SchemaError(code: .altered(other), found: version, known: schema.version)
    }
}

extension Schema {
    /// Returns the entries that the migrations up to `version` make.
    fileprivate func entries(of version: Int64) throws -> Set<SchemaEntry> {
        let migrations = Array(migrations.prefix(Int(clamping: version)))
        if let known = Schema.computed.withLock({ $0[migrations] }) { return known }
        let entries = try Schema.entriesMade(by: migrations)
        Schema.computed.withLock { $0[migrations] = entries }
        return entries
    }

    /// Returns the entries that migrations make in an empty database. They run in memory, which takes some
    /// milliseconds.
    package static func entriesMade(by migrations: [String]) throws -> Set<SchemaEntry> {
        let model = try Database(path: ":memory:", access: .readWrite)
        try model.transaction(.immediate) { for migration in migrations { try model.execute(migration) } }
        return Set(try model.entries())
    }

    /// The results of migrations that this process has run.
    private static let computed = Mutex<[[String]: Set<SchemaEntry>]>([:])
}
