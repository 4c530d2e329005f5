import CommandLineKit
import Foundation
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore

@Suite("Opening a store")
struct StoreVersionTests {
    @Test("a store of a newer version is refused, with both versions and what to do, and stays as it is")
    func newer() async throws {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        _ = await CommandOutcome(["init", "--address", "one", "--data", path])
        let known = Schema.server.version
        do {
            try Database(path: folder.data.store, access: .readWrite)
                .execute("PRAGMA user_version=\(known + 3)")
        }
        for command in [["groups"], ["serve"], ["init"], ["status"], ["verify"]] {
            let refused = await CommandOutcome(command + ["--data", path])
            #expect(refused.status == .failed)
            #expect(refused.messages.contains("has version \(known + 3)"), "\(refused.messages)")
            #expect(refused.messages.contains("versions up to \(known)"))
            #expect(refused.messages.contains("Install that version"))
        }
    }

    @Test("an empty store isn't migrated while another server holds its folder, and is afterwards")
    func served() throws {
        let folder = try TemporaryFolder()
        _ = try Database(path: folder.data.store, access: .readWriteCreate)
        let lock = try DataLock(folder.data)
        let refused = #expect(throws: FolderFailure.self) { try folder.data.upgradeStore { _ in } }
        guard case .isServedByOlder(folder.data, let error) = refused else { throw try #require(refused) }
        #expect(error.found == 0)
        lock.letGo()
        try folder.data.upgradeStore { _ in }
        _ = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
    }

    @Test("room in the write-ahead log is made by a server's writer, and by no other program")
    func servingAlone() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("focusd.db")
        func logLength() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(file)-wal")
            return try #require(attributes[.size] as? Int)
        }
        _ = try SQLiteServerStore(at: file, access: .readWriteCreate)
        let others = try [.writing, .reading].map { try StoreLocation.folder.open(file: file, $0) }
        #expect(try logLength() < Database.preallocatedLogSize)
        let writer = try StoreLocation.folder.open(file: file, .serving(as: nil))
        #expect(try logLength() == Database.preallocatedLogSize)
        withExtendedLifetime((others, writer)) {}
    }
}
