import TestSupport
import Testing

@testable import SQLiteKit

/// Room in the write-ahead log that is reserved in advance.
@Suite("Room in the write-ahead log")
struct LogRoomTests {
    private let disk = VirtualDisk()
    private let room = 200_000

    private func open() throws -> Database {
        let database = try Database(path: "/log.db", on: .virtual(disk), access: .readWriteCreate)
        try database.migrate(
            to: Schema(applicationID: 1, migrations: ["CREATE TABLE facts (fact INTEGER) STRICT"]))
        try database.setDurability(.full)
        return database
    }

    private var logLength: Int { disk.files["/log.db-wal"]?.content.count ?? 0 }

    private func facts(_ database: borrowing Database) throws -> Int {
        try database.first("SELECT count(*) FROM facts") { $0[0] } ?? -1
    }

    @Test("as much as SQLite fills is room enough for any number of commits")
    func enough() throws {
        let database = try open()
        try database.preallocateLog()
        let length = logLength
        for fact in 1...3_000 { try database.run("INSERT INTO facts VALUES (?)", fact) }
        // The commit that fills the log may add some pages.
        #expect(logLength <= length + 10 * 4_120 && length == Database.preallocatedLogSize)
    }

    @Test("a log that is longer stays as it is, and is as long when room is made twice")
    func longer() throws {
        let database = try open()
        for fact in 1...40 { try database.run("INSERT INTO facts VALUES (?)", fact) }
        let before = disk.image()
        try database.preallocateLog(1_000)
        #expect(disk.image() == before)
        for _ in 1...2 { try database.preallocateLog(2 * room) }
        #expect(try logLength == 2 * room && facts(database) == 40)
    }

    @Test("it is made behind what others have committed, and they go on in it")
    func together() throws {
        let one = try open()
        let other = try open()
        for fact in 1...10 { try other.run("INSERT INTO facts VALUES (?)", fact) }
        try one.preallocateLog(room)
        for fact in 11...15 { try other.run("INSERT INTO facts VALUES (?)", fact) }
        for fact in 16...20 { try one.run("INSERT INTO facts VALUES (?)", fact) }
        #expect(try facts(one) == 20 && facts(other) == 20 && logLength == room)
        #expect(try one.integrityProblems().isEmpty)
    }

    @Test("programs that are killed have lost nothing in it")
    func killed() throws {
        do {
            let database = try open()
            try database.preallocateLog(room)
            for fact in 1...20 { try database.run("INSERT INTO facts VALUES (?)", fact) }
            disk.stopPrograms()
        }
        disk.start()
        #expect(try facts(open()) == 20)
    }

    @Test("what was committed survives a loss of power at any moment of it", arguments: 0...24)
    func powerCut(changes: Int) throws {
        var random = SeededGenerator(seed: UInt64(changes))
        var kept = 10
        do {
            let database = try open()
            for fact in 1...kept { try database.run("INSERT INTO facts VALUES (?)", fact) }
            disk.cutPower(afterChanges: changes)
            try? database.preallocateLog(room)
            while (try? database.run("INSERT INTO facts VALUES (0)")) != nil { kept += 1 }
            disk.losePower(using: &random)
        }
        disk.start()
        let database = try open()
        #expect(try (kept...(kept + 1)).contains(facts(database)))
        #expect(try database.integrityProblems().isEmpty)
        try database.run("INSERT INTO facts VALUES (0)")
    }

    @Test("on a full disk the log stays as it is")
    func full() throws {
        let database = try open()
        try database.run("INSERT INTO facts VALUES (1)")
        let before = disk.image()
        disk.isFull = true
        try database.preallocateLog(room)
        #expect(disk.image() == before)
        disk.isFull = false
        try database.run("INSERT INTO facts VALUES (2)")
        #expect(try facts(database) == 2)
    }

    @Test("it goes as the last connection closes")
    func closing() throws {
        do {
            let database = try open()
            try database.preallocateLog(room)
            try database.run("INSERT INTO facts VALUES (1)")
        }
        #expect(logLength == 0)
        #expect(try facts(open()) == 1)
    }
}
