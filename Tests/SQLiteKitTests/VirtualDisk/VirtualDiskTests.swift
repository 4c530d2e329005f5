import SQLiteKit
import TestSupport
import Testing

@Suite("Virtual disks")
struct VirtualDiskTests {
    private let disk = VirtualDisk()
    private var random = SeededGenerator(seed: 7)

    private func open(_ access: Database.Access = .readWriteCreate) throws -> Database {
        let database = try Database(path: "/log.db", on: .virtual(disk), access: access)
        try database.migrate(
            to: Schema(applicationID: 1, migrations: ["CREATE TABLE facts (fact INTEGER) STRICT"]))
        return database
    }

    private func facts() throws -> Int64 {
        try open().first("SELECT count(*) FROM facts") { $0[0] } ?? -1
    }

    @Test("what was committed durably survives any loss of power", arguments: 1...20)
    func durable(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        do {
            let database = try open()
            try database.setDurability(.full)
            for fact in 1...300 { try database.run("INSERT INTO facts VALUES (?)", fact) }
            disk.losePower(using: &random)
        }
        disk.start()
        #expect(try facts() == 300)
        #expect(try open().integrityProblems().isEmpty)
    }

    @Test("what was committed in a hurry may be lost, but nothing before it", arguments: 1...20)
    func hasty(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        do {
            let database = try open()
            try database.setDurability(.full)
            for fact in 1...10 { try database.run("INSERT INTO facts VALUES (?)", fact) }
            try database.setDurability(.normal)
            for fact in 11...20 { try database.run("INSERT INTO facts VALUES (?)", fact) }
            disk.losePower(using: &random)
        }
        disk.start()
        #expect((10...20).contains(try facts()))
        #expect(try open().integrityProblems().isEmpty)
    }

    @Test("power that goes in the middle of a commit leaves it whole or undone", arguments: 0...30)
    func middle(changes: Int) throws {
        var random = SeededGenerator(seed: UInt64(changes))
        var kept: Int64 = 0
        do {
            let database = try open()
            try database.setDurability(.full)
            disk.cutPower(afterChanges: changes)
            while (try? database.run("INSERT INTO facts VALUES (?)", kept)) != nil { kept += 1 }
            disk.losePower(using: &random)
        }
        disk.start()
        #expect((kept...(kept + 1)).contains(try facts()))
    }

    @Test("a program that is killed loses nothing that it had written")
    func killed() throws {
        do {
            let database = try open()
            try database.setDurability(.normal)
            try database.run("INSERT INTO facts VALUES (1)")
            disk.stopPrograms()
        }
        disk.start()
        #expect(try facts() == 1)
    }

    @Test("a full disk refuses what makes a file longer, and takes it once there is room")
    func full() throws {
        let database = try open()
        disk.isFull = true
        var refused: SQLiteError?
        do {
            try database.run("INSERT INTO facts VALUES (zeroblob(100000))")
        } catch { refused = error }
        #expect(refused != nil)
        disk.isFull = false
        try database.run("INSERT INTO facts VALUES (1)")
        #expect(try facts() == 1)
    }

    @Test("a reader sees each commit, and one writer keeps another out")
    func together() throws {
        let writer = try open()
        let reader = try open(.readOnly)
        try writer.transaction(.immediate) {
            try writer.run("INSERT INTO facts VALUES (1)")
            #expect(try reader.first("SELECT count(*) FROM facts") { $0[0] as Int64 } == 0)
            let other = try Database(
                path: "/log.db", on: .virtual(disk), access: .readWrite, busyTimeout: 0)
            #expect(throws: SQLiteError.self) { try other.transaction(.immediate) {} }
        }
        #expect(try reader.first("SELECT count(*) FROM facts") { $0[0] as Int64 } == 1)
    }

    @Test("what killed programs left unsynced, a later loss of power can still take")
    func killedThenDark() throws {
        var found: Set<Int64> = []
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            do {
                let database = try open()
                try database.setDurability(.full)
                try database.run("DELETE FROM facts")
                try database.setDurability(.normal)
                try database.run("INSERT INTO facts VALUES (1)")
                disk.stopPrograms()
            }
            disk.start()
            disk.losePower(using: &random)
            disk.start()
            found.insert(try facts())
        }
        #expect(found == [0, 1])
    }

    @Test("a copy of a disk is a disk of its own")
    func copied() throws {
        let database = try open()
        try database.run("INSERT INTO facts VALUES (1)")
        let clone = VirtualDisk()
        clone.replace(with: disk.image())
        let other = try Database(path: "/log.db", on: .virtual(clone), access: .readWrite)
        try other.run("INSERT INTO facts VALUES (2)")
        #expect(try other.first("SELECT count(*) FROM facts") { $0[0] as Int64 } == 2)
        #expect(try facts() == 1)
    }
}
