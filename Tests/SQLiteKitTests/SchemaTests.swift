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

    @Test("a file is brought forward from any earlier version, once") func forward() throws {
        let first = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)"
        let second = "ALTER TABLE a ADD y INTEGER; UPDATE a SET y = x + 1"
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            try database.migrate(to: schema(first))
        }
        let database = try Database(path: folder.file(), access: .readWrite)
        try database.migrate(to: schema(first, second))
        try database.migrate(to: schema(first, second))
        let y = try database.first("SELECT y FROM a", read: { $0[0] as Int })
        #expect(y == 2)
        let mode = try database.first("PRAGMA journal_mode", read: { $0[0] as String })
        #expect(mode == "wal")
    }

    @Test("a migration that fails leaves the version before it") func failing() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.migrate(to: schema("CREATE TABLE a (x)"))
        #expect(throws: SQLiteError.self) {
            try database.migrate(to: schema("", "CREATE TABLE b (x)", "CREATE TABLE a (x)"))
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
            #expect(performing: { try database.requireCurrent(schema("", "")) }, throws: code(.older))
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
}
