import TestSupport
import Testing

@testable import SQLiteKit

@Suite("Changes of a virtual disk")
struct DiskChangesTests {
    private let disk = VirtualDisk(stored: DiskImage())
    private let store = BlockStore()

    private func open(_ path: String = "/log.db", on disk: VirtualDisk) throws -> Database {
        let database = try Database(path: path, on: .virtual(disk), access: .readWriteCreate)
        try database.useWriteAheadLog()
        try database.execute("CREATE TABLE IF NOT EXISTS facts (fact INTEGER PRIMARY KEY, text BLOB) STRICT")
        return database
    }

    private func insert(_ length: Int, _ byte: UInt8 = 1, in database: borrowing Database) throws {
        try database.run("INSERT INTO facts (text) VALUES (?)", [UInt8](repeating: byte, count: length))
    }

    /// Loads the stored blocks, and returns the number of facts in a database that must be whole.
    private func storedFacts() throws -> Int? {
        let database = try open(on: VirtualDisk(stored: try #require(store.image)))
        #expect(try database.integrityProblems().isEmpty)
        return try database.first("SELECT count(*) FROM facts") { $0[0] }
    }

    @Test("a disk loaded from the blocks named after commits is the same disk", arguments: 1...20)
    func loaded(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 1...3 {
            let database = try open(on: disk)
            for _ in 1...40 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0: try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                case 1: try database.execute("VACUUM")
                case 2: if disk.remove("/copy.db") == nil { try database.copy(to: "/copy.db") }
                case 3:
                    try database.run(
                        "DELETE FROM facts WHERE fact % 3 = ?", Int.random(in: 0..<3, using: &random))
                default:
                    let length = Int.random(in: 0...20_000, using: &random)
                    try insert(length, UInt8.random(in: 0...255, using: &random), in: database)
                }
                // Some changes are named with the next ones.
                if Int.random(in: 0..<4, using: &random) == 0 { continue }
                store.storeChanges(of: disk)
                #expect(store.image == disk.image())
            }
        }
        store.storeChanges(of: disk)
        let loaded = VirtualDisk(stored: try #require(store.image))
        #expect(loaded.image() == disk.image())
        #expect(loaded.collectChanges() == nil)
        let count = "SELECT count(*) || ' ' || sum(length(text)) FROM facts"
        let facts: String? = try open(on: disk).first(count) { $0[0] }
        #expect(try open(on: loaded).first(count) { $0[0] as String } == facts)
    }

    @Test("the blocks of a file that grows with gaps and shrinks to any length are named", arguments: 1...20)
    func anyLength(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let handle = try #require(disk.open("/log.db", mayCreate: true))
        defer { handle.close() }
        for _ in 1...100 {
            let offset = Int.random(in: 0...50_000, using: &random)
            if Bool.random(using: &random) {
                handle.file.truncate(to: offset)
            } else {
                let length = Int.random(in: 1...9000, using: &random)
                [UInt8](repeating: UInt8.random(in: 1...255, using: &random), count: length)
                    .withUnsafeBytes { handle.file.write($0, at: offset) }
            }
            if Int.random(in: 0..<4, using: &random) == 0 { continue }
            store.storeChanges(of: disk)
            #expect(store.image == disk.image())
        }
    }

    @Test("blocks named at any call of the file system are the disk, also while files are renamed")
    func anyCall() throws {
        disk.whenCalled = { [disk, store] _ in
            store.storeChanges(of: disk)
            #expect(store.image == disk.image())
        }
        defer { disk.whenCalled = nil }
        let migrations = [
            "CREATE TABLE a (x INTEGER) STRICT", "DROP TABLE a", "CREATE TABLE b (x INTEGER) STRICT",
        ]
        for version in 1...3 {
            let database = try Database(path: "/log.db", on: .virtual(disk), access: .readWriteCreate)
            try database.migrate(
                to: Schema(applicationID: 1, migrations: Array(migrations.prefix(version))))
        }
        store.storeChanges(of: disk)
        #expect(store.image == disk.image())
        #expect(disk.paths == ["/log.db", "/log.db.version-2"])
    }

    @Test("a migrated database has its journal in memory, no write-ahead log, and syncs durable commits only")
    func memoryJournal() throws {
        let database = try Database(path: "/log.db", on: .virtual(disk), access: .readWriteCreate)
        try database.useWriteAheadLog()
        try database.migrate(
            to: Schema(
                applicationID: 1,
                migrations: ["CREATE TABLE facts (fact INTEGER PRIMARY KEY, text BLOB) STRICT"]))
        #expect(disk.paths == ["/log.db"])
        for durability in [Database.Durability.normal, .full, .normal] {
            try database.setDurability(durability)
            let (changes, syncs) = (disk.changeCount, disk.syncs)
            try insert(10, in: database)
            #expect(disk.changeCount > changes)
            #expect((disk.syncs > syncs) == (durability == .full))
        }
        #expect(disk.paths == ["/log.db"])
        store.storeChanges(of: disk)
        #expect(try storedFacts() == 3)
    }

    @Test("an open transaction is noticed, even before it has changed anything")
    func openTransaction() throws {
        let database = try open(on: disk)
        #expect(try database.first("PRAGMA journal_mode=MEMORY") { $0[0] as String } == "memory")
        #expect(!disk.hasOpenTransaction)
        try database.transaction(.deferred) {
            let count = try database.first("SELECT count(*) FROM facts") { $0[0] as Int }
            #expect(count == 0)
            #expect(!disk.hasOpenTransaction)
        }
        try database.transaction(.immediate) {
            #expect(disk.hasOpenTransaction)
            try insert(10, in: database)
            #expect(disk.hasOpenTransaction)
        }
        #expect(!disk.hasOpenTransaction)
    }

    @Test("without a change no blocks are named")
    func unchanged() throws {
        #expect(disk.collectChanges() == nil)
        let database = try open(on: disk)
        try insert(10, in: database)
        let number = disk.newestNumber
        #expect(disk.collectChanges()?.number == number)
        #expect(try database.first("SELECT count(*) FROM facts") { $0[0] as Int } == 1)
        #expect(try database.integrityProblems().isEmpty)
        #expect(disk.collectChanges() == nil)
        #expect(disk.newestNumber == number)
    }

    @Test("a small commit names few blocks of a large file")
    func few() throws {
        let database = try open(on: disk)
        try insert(1_000_000, in: database)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = disk.collectChanges()
        try insert(10, in: database)
        let written = try #require(disk.collectChanges()).written
        #expect(written.map { $0.path } == ["/log.db-wal"])
        #expect(written.allSatisfy { $0.blocks.count < 10 })
    }

    @Test("files are named by ascending path, and their blocks by ascending index")
    func order() throws {
        let names = ["/d.db", "/a.db", "/c.db", "/b.db"]
        for name in names { try insert(50_000, in: open(name, on: disk)) }
        let written = try #require(disk.collectChanges()).written
        #expect(written.map { $0.path } == names.sorted())
        for file in written {
            #expect(file.blocks.map { $0.index } == Array(file.blocks.indices))
            #expect(file.blocks.count == (file.count + 4095) / 4096)
        }
        for name in names { _ = disk.remove(name) }
        let changes = try #require(disk.collectChanges())
        #expect(changes.removed == names.sorted())
        #expect(changes.written.isEmpty)
    }

    @Test("a kill between naming and storing leaves the last stored commit", arguments: 0...5)
    func killed(stored: Int) throws {
        let database = try open(on: disk)
        store.storeChanges(of: disk)
        for fact in 1...5 {
            try insert(5000, in: database)
            if fact <= stored { store.storeChanges(of: disk) } else { _ = disk.collectChanges() }
        }
        #expect(try storedFacts() == stored)
    }

    @Test("blocks named in the middle of a transaction leave the commit before it")
    func unfinished() throws {
        let database = try open(on: disk)
        try insert(10, in: database)
        store.storeChanges(of: disk)
        try database.execute("PRAGMA cache_size=1")
        try database.transaction(.immediate) {
            for _ in 1...20 { try insert(5000, in: database) }
            #expect(disk.newestNumber > disk.storedNumber)
            store.storeChanges(of: disk)
            #expect(try storedFacts() == 1)
        }
        store.storeChanges(of: disk)
        #expect(try storedFacts() == 21)
    }

    @Test("a commit learns that it is stored, and only numbers of collected changes count")
    func stored() throws {
        var told: [UInt64] = []
        disk.whenStored = { told.append($0) }
        let database = try open(on: disk)
        for _ in 1...3 {
            try insert(10, in: database)
            _ = disk.collectChanges()
        }
        try insert(10, in: database)
        #expect(disk.newestNumber == 4)
        for number in [0, 4, 2, 1, 2, 3] as [UInt64] { disk.markStored(upTo: number) }
        #expect(told == [2, 3])
        #expect(disk.storedNumber == 3)
    }

    @Test("changes beyond sixteen unstored ones wait, and are named together")
    func limit() throws {
        let database = try open(on: disk)
        var unstored: [DiskChanges] = []
        for _ in 1...40 {
            try insert(5000, in: database)
            if let changes = disk.collectChanges() { unstored.append(changes) }
        }
        #expect(unstored.map { $0.number } == Array(1...16))
        #expect(disk.newestNumber == 17)
        for changes in unstored { store.store(changes) }
        disk.markStored(upTo: 1)
        store.store(try #require(disk.collectChanges()))
        #expect(disk.collectChanges() == nil)
        #expect(store.image == disk.image())
    }

    @Test("a disk that gets another image, or starts again, names what it lacks")
    func replaced() throws {
        try insert(100_000, in: open(on: disk))
        store.storeChanges(of: disk)
        let image = disk.image()
        for path in ["/log.db", "/other.db"] { try insert(100_000, 2, in: open(path, on: disk)) }
        store.storeChanges(of: disk)
        disk.replace(with: image)
        store.storeChanges(of: disk)
        #expect(store.image == image)
        try insert(5000, in: open(on: disk))
        disk.stopPrograms()
        disk.start()
        store.storeChanges(of: disk)
        #expect(store.image == disk.image())
        #expect(store.image != image)
    }

    @Test("blocks that aren't exactly those of a file are refused")
    func damaged() {
        let zeros = [UInt8](repeating: 0, count: 4096)
        let ones = [UInt8](repeating: 1, count: 4096)
        func isAccepted(_ count: Int, _ blocks: [UInt8]...) -> Bool {
            var image = DiskImage()
            return image.insert("/log.db", count: count, blocks: blocks)
        }
        #expect(isAccepted(0))
        #expect(isAccepted(4097, ones, zeros) && isAccepted(8192, ones, ones))
        #expect(!isAccepted(0, zeros) && !isAccepted(4096, ones, zeros))
        #expect(!isAccepted(4097, ones) && !isAccepted(.max, ones) && !isAccepted(-1) && !isAccepted(.min))
        #expect(!isAccepted(4095, ones))
        #expect(!isAccepted(4096, zeros + [0]) && !isAccepted(4000, [UInt8](zeros.dropLast())))
    }
}

/// Stores blocks as a browser does: each by its file and index.
private final class BlockStore {
    private var counts: [String: Int] = [:]
    private var blocks: [String: [Int: [UInt8]]] = [:]

    func storeChanges(of disk: VirtualDisk) {
        let newest = disk.newestNumber
        guard let changes = disk.collectChanges() else { return }
        #expect(changes.number == newest)
        store(changes)
        disk.markStored(upTo: changes.number)
    }

    func store(_ changes: DiskChanges) {
        #expect(changes.removed.allSatisfy { counts[$0] != nil })
        for path in changes.removed {
            counts[path] = nil
            blocks[path] = nil
        }
        for file in changes.written {
            #expect(file.blocks.allSatisfy { $0.index * 4096 < file.count })
            counts[file.path] = file.count
            for block in file.blocks { blocks[file.path, default: [:]][block.index] = block.bytes }
            blocks[file.path] = blocks[file.path]?.filter { $0.key * 4096 < file.count }
        }
    }

    /// The stored files; nil if blocks are missing.
    var image: DiskImage? {
        var image = DiskImage()
        for (path, count) in counts {
            let stored = (blocks[path] ?? [:]).sorted { $0.key < $1.key }.map { $0.value }
            guard image.insert(path, count: count, blocks: stored) else { return nil }
        }
        return image
    }
}
