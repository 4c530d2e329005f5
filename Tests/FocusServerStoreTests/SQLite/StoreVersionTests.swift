import CommandLineKit
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerFiles
@testable import FocusServerStore

@Suite("A store of another version")
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
            #expect(refused.messages.contains("Install that one"))
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
}
