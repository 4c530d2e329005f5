import Foundation
import SQLiteKit
import TestSupport
import Testing

@Suite("Bringing a database to a newer version")
struct SchemaUpgradeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let first = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)"
    private static let second = "ALTER TABLE a ADD y INTEGER; UPDATE a SET y = x + 1"
    private static let third = "ALTER TABLE a ADD z INTEGER; UPDATE a SET z = y + 1"

    private func schema(_ count: Int) -> Schema {
        Schema(
            applicationID: 0x464F_4355,
            migrations: Array(
                [SchemaUpgradeTests.first, SchemaUpgradeTests.second, SchemaUpgradeTests.third].prefix(count))
        )
    }

    @discardableResult
    private func open(
        _ count: Int, _ path: String? = nil, on disk: Disk = .machine
    ) throws -> SchemaUpgrade? {
        let database = try Database(path: path ?? folder.file(), on: disk, access: .readWriteCreate)
        return try database.migrate(to: schema(count))
    }

    private func value(_ column: String, _ path: String, on disk: Disk = .machine) throws -> Int? {
        try Database(path: path, on: disk, access: .readOnly).first("SELECT \(column) FROM a") {
            $0[0] as Int
        }
    }

    @Test(
        "the database as it was is kept beside it, for its owner alone, with all that others have committed, and says which version it has"
    )
    func copy() throws {
        #expect(try open(1) == nil)
        #expect(try open(1) == nil)
        // SQLite hasn't moved this commit into the database yet.
        let other = try Database(path: folder.file(), access: .readWrite)
        try other.execute("UPDATE a SET x = 7")
        let copy = folder.file("test.db.version-1")
        #expect(try open(2) == SchemaUpgrade(from: 1, to: 2, copy: copy))
        #expect(try open(2) == nil)
        #expect(try folder.mode("test.db.version-1") == 0o600)
        #expect(try other.first("SELECT y FROM a") { $0[0] as Int } == 8)
        try Database(path: copy, access: .readOnly).requireCurrent(schema(1))
        #expect(try Database(path: copy, access: .readOnly).integrityProblems().isEmpty)
        #expect(try value("x", copy) == 7)
    }

    @Test("the copy of the version before last goes once the next one is whole")
    func older() throws {
        for count in 1...3 { try open(count) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.contains("version") } == ["test.db.version-2"])
    }

    @Test("a copy that was left there is replaced, and so is half a one")
    func left() throws {
        try open(1)
        for name in ["test.db.version-1", "test.db.version-1.part"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        #expect(try open(2) != nil)
        #expect(try value("x", folder.file("test.db.version-1")) == 1)
        #expect(try folder.mode("test.db.version-1.part") == nil)
    }

    @Test(
        "a link that was put where the copy is made gets nothing, and a folder there is an error that names it"
    )
    func planted() throws {
        try open(1)
        let (part, target) = (folder.file("test.db.version-1.part"), folder.file("target"))
        try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: target)
        #expect(try open(2) != nil)
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try value("x", folder.file("test.db.version-1")) == 1)

        let other = folder.file("other.db")
        try open(1, other)
        let blocking = "\(other).version-1.part"
        try FileManager.default.createDirectory(atPath: blocking, withIntermediateDirectories: false)
        #expect {
            try open(2, other)
        } throws: {
            ($0 as? UpgradeError).map { "\($0)".contains(blocking) } == true
        }
    }

    @Test(
        "many connections that open an older file at once upgrade it once, and keep one copy",
        arguments: 0..<10)
    func race(file: Int) async throws {
        let path = folder.file("\(file).db")
        try open(1, path)
        let schema = schema(2)
        let upgrades = try await withThrowingTaskGroup(of: SchemaUpgrade?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try Database(path: path, access: .readWriteCreate).migrate(to: schema)
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(upgrades.count == 1)
        #expect(try value("y", path) == 2)
        #expect(try value("x", "\(path).version-1") == 1)
    }

    @Test("where the copy can't be written, the error says where it would be, and nothing changes")
    func blocked() throws {
        try open(1)
        let copy = folder.file("test.db.version-1")
        // A folder that isn't empty can't be replaced by a file.
        try FileManager.default.createDirectory(atPath: "\(copy)/x", withIntermediateDirectories: true)
        #expect {
            try open(2)
        } throws: {
            ($0 as? UpgradeError).map { $0.found == 1 && $0.known == 2 && $0.copy == copy } == true
        }
        let database = try DatabaseConnection(
            path: folder.file(), on: .machine, access: .readWrite,
            failing: { (failure) -> DatabaseFailure in failure })
        #expect {
            try database.migrate(to: schema(2))
        } throws: { error in
            if case .upgrade(let error) = error as? DatabaseFailure { error.copy == copy } else { false }
        }
        let foreign = Schema(applicationID: 1, migrations: [""])
        #expect(throws: DatabaseFailure.schema(SchemaError(code: .foreign, found: 1, known: 1))) {
            try database.requireKnown(foreign)
        }
        try Database(path: folder.file(), access: .readOnly).requireCurrent(schema(1))
        #expect(try folder.mode("test.db.version-1.part") == nil)
    }

    @Test("where the disk has no room for the copy, nothing changes and no part of it is left")
    func full() throws {
        let disk = VirtualDisk()
        try open(1, "/a.db", on: .virtual(disk))
        disk.isFull = true
        #expect {
            try open(2, "/a.db", on: .virtual(disk))
        } throws: {
            ($0 as? UpgradeError)?.cause.isOutOfSpace == true
        }
        #expect(!disk.paths.contains { $0.contains("version") })
        disk.isFull = false
        #expect(try value("x", "/a.db", on: .virtual(disk)) == 1)
        #expect(try open(2, "/a.db", on: .virtual(disk)) != nil)
    }

    @Test(
        "power that goes at any moment leaves the old database or the new one, and a new one's copy is whole")
    func power() throws {
        var cut = 0
        var outcomes: Set<Int64> = []
        while true {
            let disk = VirtualDisk()
            var random = SeededGenerator(seed: UInt64(cut))
            do {
                let database = try Database(path: "/a.db", on: .virtual(disk), access: .readWriteCreate)
                try database.setDurability(.full)
                try database.migrate(to: schema(1))
            }
            disk.cutPower(afterChanges: cut)
            let isDone: Bool
            do {
                let database = try Database(path: "/a.db", on: .virtual(disk), access: .readWriteCreate)
                do {
                    try database.setDurability(.full)
                    try database.migrate(to: schema(2))
                } catch {}
                isDone = disk.hasPower
                disk.losePower(using: &random)
            }
            disk.start()
            let found = try Database(path: "/a.db", on: .virtual(disk), access: .readWrite)
            let version = try found.requireKnown(schema(2))
            outcomes.insert(version)
            #expect(try found.integrityProblems().isEmpty, "cut after \(cut) changes")
            #expect(try found.first("SELECT x FROM a") { $0[0] as Int } == 1)
            if version == 2 {
                let copy = try Database(path: "/a.db.version-1", on: .virtual(disk), access: .readOnly)
                try copy.requireCurrent(schema(1))
                #expect(try copy.integrityProblems().isEmpty)
            }
            // The next start finishes the interrupted upgrade.
            try found.migrate(to: schema(2))
            #expect(try found.first("SELECT y FROM a") { $0[0] as Int } == 2)
            guard !isDone else { break }
            cut += 1
        }
        #expect(outcomes == [1, 2])
        #expect(cut > 10)
    }
}
