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
}
