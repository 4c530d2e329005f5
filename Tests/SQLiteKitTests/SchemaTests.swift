import Foundation
import SQLiteKit
import TestSupport
import Testing

@Suite struct SchemaTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func schema(_ migrations: String...) -> Schema {
        Schema(applicationID: 0x464F_4355, migrations: migrations)
    }

    private func code(_ expected: SchemaError.Code) -> (any Error) -> Bool {
        { ($0 as? SchemaError)?.code == expected }
    }

    @Test("a migration that fails leaves the version before it") func failing() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.migrate(to: schema("CREATE TABLE a (x)"))
        #expect(throws: SQLiteError.self) {
            try database.migrate(
                to: schema("CREATE TABLE a (x)", "CREATE TABLE b (x)", "CREATE TABLE a (x)"))
        }
        let tables = try database.first("SELECT count(*) FROM sqlite_schema", read: { $0[0] as Int })
        #expect(tables == 1)
        try database.requireCurrent(schema("CREATE TABLE a (x)"))
    }

    @Test("a newer file is refused by name, and no byte of it changes") func newer() throws {
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            try database.migrate(to: schema("CREATE TABLE a (x)", "CREATE TABLE b (x)"))
        }
        let before = try folder.contents()
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            #expect(throws: SchemaError(code: .newer, found: 2, known: 1)) {
                try database.migrate(to: schema("CREATE TABLE a (x)"))
            }
            #expect(throws: SchemaError(code: .newer, found: 2, known: 1)) {
                try database.requireCurrent(schema("CREATE TABLE a (x)"))
            }
        }
        #expect(try folder.contents() == before)
    }

    @Test("an older file, and another program's, are refused by a connection that needs its own")
    func olderAndForeign() throws {
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            try database.migrate(to: schema("CREATE TABLE a (x)"))
            #expect(
                performing: { try database.requireCurrent(schema("CREATE TABLE a (x)", "")) },
                throws: code(.older))
            let other = Schema(applicationID: 1, migrations: [""])
            #expect(performing: { try database.migrate(to: other) }, throws: code(.foreign))
        }
        let stranger = try Database(path: folder.file("stranger.db"), access: .readWriteCreate)
        try stranger.execute("CREATE TABLE theirs (x)")
        #expect(performing: { try stranger.migrate(to: schema("")) }, throws: code(.foreign))
    }

    @Test("many connections that open a new file at once migrate it once", arguments: 0..<40)
    func race(file: Int) async throws {
        let path = folder.file("\(file).db")
        let schema = schema("CREATE TABLE a (x); INSERT INTO a VALUES (1)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try Database(path: path, access: .readWriteCreate)
                    try database.migrate(to: schema)
                }
            }
            try await group.waitForAll()
        }
        let database = try Database(path: path, access: .readOnly)
        let rows = try database.first("SELECT count(*) FROM a", read: { $0[0] as Int })
        #expect(rows == 1)
    }

    private static let own = [
        "CREATE TABLE a (k INTEGER NOT NULL, y TEXT); CREATE INDEX by_k ON a (k)",
        "CREATE TABLE b (z INTEGER PRIMARY KEY)",
    ]

    @Test(
        "a file that consists of anything else than what the program made is refused as it is, whatever its version",
        arguments: [
            "CREATE TRIGGER t BEFORE INSERT ON a BEGIN SELECT RAISE(IGNORE); END",
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END",
            "CREATE VIEW v AS SELECT * FROM a",
            "DROP TABLE b; CREATE VIEW b AS SELECT 1 AS z",
            "CREATE INDEX more ON a (y)", "DROP INDEX by_k", "DROP TABLE a", "ALTER TABLE a ADD more INTEGER",
            "DROP INDEX by_k; CREATE UNIQUE INDEX by_k ON a (k)",
            "DROP TABLE b; CREATE TABLE b (z INTEGER PRIMARY KEY ON CONFLICT IGNORE)",
            "DROP TABLE b; CREATE TABLE b (z INTEGER PRIMARY KEY) WITHOUT ROWID",
            // Swift treats this character, the Kelvin sign, as equal to the letter K.
            "DROP TABLE a; CREATE TABLE a (\u{212A} INTEGER NOT NULL, y TEXT); CREATE INDEX by_k ON a (\u{212A})",
        ], 1...2)
    func altered(by change: String, version: Int) throws {
        var all = SchemaTests.own
        if change.contains("\u{212A}") {
            all[0] = all[0].replacing("(k", with: "(K")
        }
        let schema = Schema(applicationID: 7, migrations: all)
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            try database.migrate(to: Schema(applicationID: 7, migrations: Array(all.prefix(version))))
            if version == 1 { try database.execute("CREATE TABLE IF NOT EXISTS b (z INTEGER PRIMARY KEY)") }
            try database.execute(change)
        }
        let before = try folder.contents("test.db")
        func refuses(_ access: Database.Access, _ open: (borrowing Database) throws -> Void) {
            #expect {
                try open(Database(path: folder.file(), access: access))
            } throws: { error in
                if case .altered? = (error as? SchemaError)?.code { true } else { false }
            }
        }
        refuses(.readWrite) { try $0.migrate(to: schema) }
        refuses(.readOnly) { try $0.requireKnown(schema) }
        refuses(.readOnly) { try $0.requireCurrent(schema) }
        #expect(try folder.contents("test.db") == before)
    }

    @Test("what a file may have besides is no reason to refuse it")
    func guests() throws {
        let guest = "CREATE TABLE g (x BLOB) STRICT"
        let schema = Schema(
            applicationID: 7, migrations: SchemaTests.own, otherEntries: [SchemaEntry(guest)])
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.migrate(to: schema)
        try database.execute(guest)
        try database.migrate(to: schema)
        try Database(path: folder.file(), access: .readOnly).requireCurrent(schema)
    }

    @Test(
        "what stands in a file calls nothing but what is harmless, and SQLite's own tables can't be changed")
    func distrust() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        #expect(try database.first("PRAGMA trusted_schema", read: { $0[0] as Int }) == 0)
        try database.execute("CREATE TABLE a (x); PRAGMA writable_schema=ON")
        #expect(throws: SQLiteError.self) { try database.execute("UPDATE sqlite_schema SET sql = ''") }
    }

    @Test("a statement that is to change one row fails where it changes none, or two")
    func counting() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.execute(
            """
            CREATE TABLE a (x INTEGER);
            CREATE TRIGGER t BEFORE INSERT ON a WHEN NEW.x = 3 BEGIN SELECT RAISE(IGNORE); END
            """)
        for number in 1...2 { try database.change("INSERT INTO a VALUES (?)", number) }
        try database.change("UPDATE a SET x = 5 WHERE x = ?", 1)
        for statement in ["INSERT INTO a VALUES (3)", "UPDATE a SET x = 0", "DELETE FROM a WHERE x = 9"] {
            #expect { try database.change(statement) } throws: { ($0 as? SQLiteError)?.code == .corrupt }
        }
    }
}
