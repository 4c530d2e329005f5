import FocusCore
import Foundation
import SQLiteKit
import TestSupport
import Testing

@testable import FocusStore

@Suite struct OpeningTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func expect(_ code: StoreError.Code, _ access: DeviceStore.Access = .writing) {
        #expect {
            _ = try fixture.open(access)
        } throws: {
            ($0 as? StoreError)?.code == code
        }
    }

    @Test("a database that isn't there is made for a press, and missed by a look")
    func missing() throws {
        expect(.missing, .reading)
        try Data().write(to: URL(fileURLWithPath: fixture.path))
        expect(.missing, .reading)
        _ = try fixture.open()
        let reader = try fixture.open(.reading)
        #expect(try reader.eventCount() == 0)
    }

    @Test("a file system without locks isn't taken for a log that another process keeps busy")
    func locks() {
        #expect(StoreError(SQLiteError(code: .lock)).code == .noLocks)
        #expect(StoreError(SQLiteError(code: .busy)).code == .busy)
        #expect(StoreError(SQLiteError(code: .inputOutput)).code == .disk)
    }

    @Test("a folder that isn't there is named as such")
    func noFolder() throws {
        #expect {
            _ = try DeviceStore(path: fixture.folder.file("no/focus.db")) { ReplicaID(rawValue: 1) }
        } throws: {
            ($0 as? StoreError)?.code == .notAllowed
        }
    }

    @Test("a look can't write")
    func reading() throws {
        _ = try fixture.open()
        let reader = try fixture.open(.reading)
        #expect {
            try reader.press(.start(.init()), at: 1000)
        } throws: {
            ($0 as? StoreError)?.code == .notAllowed
        }
    }

    @Test(
        "a log from elsewhere that consists of anything else than this program makes is damaged, and left untouched",
        arguments: [
            "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END",
            "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq = NEW.seq; END",
            "DROP TABLE profile; CREATE VIEW profile AS SELECT 'name' AS name, x'00' AS value",
            "DROP INDEX undos_by_target",
        ])
    func altered(by change: String) throws { try expect(.damaged, after: change) }

    @Test(
        "a file of a newer version, another program's, and one that is no database are named, and left untouched"
    )
    func others() throws {
        try expect(.newer, after: "PRAGMA user_version=99")
        try expect(.foreign, after: "PRAGMA application_id=1")
        let junk = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try junk.write(to: URL(fileURLWithPath: fixture.path))
        try expectUntouched(.damaged)
    }

    /// Expects a log that a statement has changed to be refused as it is.
    private func expect(_ code: StoreError.Code, after change: String) throws {
        do { try fixture.open().press(.start(.init()), at: 1000) }
        do { try Database(path: fixture.path, access: .readWrite).execute(change) }
        try expectUntouched(code)
        for name in ["focus.db", "focus.db-wal", "focus.db-shm"] {
            try? FileManager.default.removeItem(atPath: fixture.folder.file(name))
        }
    }

    private func expectUntouched(_ code: StoreError.Code) throws {
        let before = try fixture.folder.contents("focus.db")
        expect(code)
        expect(code, .reading)
        #expect(try fixture.folder.contents("focus.db") == before)
    }

    @Test("what a log is compared with is what its migrations make")
    func newest() throws {
        let made = try Schema.entriesMade(by: StoreSchema.schema.migrations, on: .machine)
        let statements = made.map(\.description).filter { !$0.isEmpty }.sorted().joined(separator: ";\n")
        #expect(StoreSchema.newest == made, "StoreSchema.statements have to be:\n\(statements)")
    }
}
