import Foundation
import SQLiteKit
import TestSupport
import Testing

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let schema = Schema(applicationID: 0x464F_4355, migrations: ["CREATE TABLE a (x INTEGER) STRICT"])

    @Test("a new database and the files beside it are their owner's alone, whatever the umask")
    func mode() throws {
        let before = umask(0)
        defer { umask(before) }
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE a (x)")
        for name in ["test.db", "test.db-wal", "test.db-shm"] { #expect(try folder.mode(name) == 0o600) }
    }

    @Test("a file that isn't there is made only where that is asked for")
    func missing() throws {
        for access in [Database.Access.readOnly, .readWrite] {
            #expect { _ = try Database(path: folder.file(), access: access) } throws: {
                ($0 as? SQLiteError)?.code == .cannotOpen
            }
        }
        #expect(try folder.mode("test.db") == nil)
    }

    @Test("a connection that only reads can't write") func readOnly() throws {
        let writer = try Database(path: folder.file(), access: .readWriteCreate)
        try writer.execute("CREATE TABLE a (x)")
        let reader = try Database(path: folder.file(), access: .readOnly)
        #expect { try reader.execute("INSERT INTO a VALUES (1)") } throws: {
            ($0 as? SQLiteError)?.code == .readOnly
        }
    }

    @Test("a file that is no database is said to be none, and left untouched") func notADatabase() throws {
        let junk = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try junk.write(to: URL(fileURLWithPath: folder.file()))
        do {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            #expect { try database.migrate(to: schema) } throws: {
                ($0 as? SQLiteError)?.code == .notADatabase
            }
        }
        #expect(try folder.contents() == junk)
    }

    @Test("the files beside it stay when the last connection closes, and hold nothing then")
    func filesBeside() throws {
        for value in [1, 2] {
            let database = try Database(path: folder.file(), access: .readWriteCreate)
            try database.migrate(to: schema)
            try database.run("INSERT INTO a VALUES (?)", value)
        }
        #expect(try folder.contents("test.db-wal").isEmpty)
        #expect(try folder.mode("test.db-shm") == 0o600)
        let reader = try Database(path: folder.file(), access: .readOnly)
        try reader.requireCurrent(schema)
        #expect(try reader.first("SELECT sum(x) FROM a", read: { $0[0] as Int }) == 3)
    }

    @Test("a database put in the place of another is read as it is") func replaced() throws {
        func write(_ name: String, _ value: Int) throws {
            let database = try Database(path: folder.file(name), access: .readWriteCreate)
            try database.migrate(to: schema)
            try database.run("INSERT INTO a VALUES (?)", value)
        }
        try write("test.db", 1)
        try write("other.db", 2)
        try folder.contents("other.db").write(to: URL(fileURLWithPath: folder.file("test.db")))
        let reader = try Database(path: folder.file("test.db"), access: .readOnly)
        #expect(try reader.first("SELECT sum(x) FROM a", read: { $0[0] as Int }) == 2)
        #expect(try reader.integrityProblems() == [])
    }

    @Test("another connection's commit changes the data version, one's own does not") func dataVersion()
        throws
    {
        let mine = try Database(path: folder.file(), access: .readWriteCreate)
        try mine.migrate(to: schema)
        let other = try Database(path: folder.file(), access: .readWrite)
        let first = try mine.dataVersion()
        try mine.execute("INSERT INTO a VALUES (1)")
        #expect(try mine.dataVersion() == first)
        try other.execute("INSERT INTO a VALUES (2)")
        #expect(try mine.dataVersion() != first)
    }

    @Test("a copy holds what is committed, is its owner's alone, and overwrites nothing") func copy() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.migrate(to: schema)
        try database.execute("INSERT INTO a VALUES (42)")
        try database.copy(to: folder.file("copy.db"))
        #expect(try folder.mode("copy.db") == 0o600)
        let copy = try Database(path: folder.file("copy.db"), access: .readOnly)
        try copy.requireCurrent(schema)
        let value = try copy.first("SELECT x FROM a", read: { $0[0] as Int })
        #expect(value == 42)
        #expect(try copy.integrityProblems() == [])
        #expect(throws: SQLiteError.self) { try database.copy(to: folder.file("copy.db")) }
        for (link, target) in [("a link", "copy.db"), ("a link to nowhere", "nowhere.db")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(link), withDestinationPath: folder.file(target))
            #expect(throws: SQLiteError.self) { try database.copy(to: folder.file(link)) }
        }
        #expect(try folder.mode("nowhere.db") == nil)
    }
}
