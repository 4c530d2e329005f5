import Synchronization

/// A row of `sqlite_schema`: a table, an index, a trigger or a view, byte by byte. Two texts that only look the same are
/// different ones to SQLite.
package struct SchemaEntry: Hashable, Sendable {
    private let kind: [UInt8]
    private let name: [UInt8]
    private let table: [UInt8]
    /// Empty for an index that SQLite makes by itself.
    private let sql: [UInt8]

    /// The entry that a statement makes: `CREATE TABLE`, or `CREATE INDEX` with the table behind `ON`, with plain names.
    package init(_ sql: String) {
        let words = sql.utf8.prefix(120).split(maxSplits: 6) { " \n(".utf8.contains($0) }.map(Array.init)
        let isTable = sql.hasPrefix("CREATE TABLE ")
        kind = Array((isTable ? "table" : "index").utf8)
        name = words.count > 2 ? words[2] : []
        table = isTable ? name : words.count > 4 ? words[4] : []
        self.sql = Array(sql.utf8)
    }

    /// The index that SQLite makes by itself for a table's UNIQUE constraint.
    package init(automaticIndexOf table: String) {
        kind = Array("index".utf8)
        name = Array("sqlite_autoindex_\(table)_1".utf8)
        self.table = Array(table.utf8)
        sql = []
    }

    fileprivate init(_ row: borrowing Row) {
        (kind, name, table, sql) = (row[0], row[1], row[2], row[3])
    }

    /// What it is called, for people.
    fileprivate var words: String {
        String(decoding: kind, as: UTF8.self) + " " + String(decoding: name, as: UTF8.self)
    }
}

extension SchemaEntry: CustomStringConvertible {
    /// The statement that makes it; empty for an index that SQLite makes by itself.
    package var description: String { String(decoding: sql, as: UTF8.self) }
}

extension Database {
    /// What the database consists of, in no order.
    package func entries() throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        try forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { entries.append(SchemaEntry($0)) }
        return entries
    }

    /// Makes sure that the database consists of what the migrations up to a version make, to the letter. Somebody may have
    /// put a trigger or a view into a file from elsewhere, or a table that ignores what is inserted.
    ///
    /// - Throws: `SchemaError` with `.altered`.
    func requireEntries(of schema: Schema, version: Int64) throws {
        let found = try entries().filter { !schema.guests.contains($0) }
        let consists = { (expected: Set<SchemaEntry>) in
            found.count == expected.count && Set(found) == expected
        }
        // What is written down only saves time. If it is out of date, what the migrations make counts.
        if version == schema.version, let newest = schema.newest, consists(newest) { return }
        let expected = try schema.entries(of: version)
        if consists(expected) { return }
        let other = expected.symmetricDifference(found).map(\.words).min() ?? "one entry twice"
        throw SchemaError(code: .altered(other), found: version, known: schema.version)
    }
}

extension Schema {
    /// What the migrations up to a version make.
    fileprivate func entries(of version: Int64) throws -> Set<SchemaEntry> {
        let migrations = Array(migrations.prefix(Int(clamping: version)))
        if let known = Schema.known.withLock({ $0[migrations] }) { return known }
        let entries = try Schema.made(by: migrations)
        Schema.known.withLock { $0[migrations] = entries }
        return entries
    }

    /// What migrations make of an empty database: they are run in memory, which takes some milliseconds.
    package static func made(by migrations: [String]) throws -> Set<SchemaEntry> {
        let model = try Database(path: ":memory:", access: .readWrite)
        try model.transaction(.immediate) { for migration in migrations { try model.execute(migration) } }
        return Set(try model.entries())
    }

    /// What this process has found out.
    private static let known = Mutex<[[String]: Set<SchemaEntry>]>([:])
}
