import CommandLineKit
import FocusCore
import FocusServerFiles
import FocusServerStore
import Foundation
import ServerSupport
import TestSupport
import TestTraits
import Testing

@Suite("'focusd migrate'", .ends(within: .seconds(600)))
struct MigrateCommandTests {
    private let folder: TemporaryFolder
    private let uri: String

    init() async throws {
        folder = try TemporaryFolder()
        uri = try TestPostgreSQL.running.makeDatabaseText()
        _ = await run("init", "--address", "one")
        let store = try folder.data.openStore(.writing)
        for low: UInt64 in 1...3 {
            try store.write { _ = try $0.addGroup(GroupID(high: 0, low: low), now: 1) }
        }
    }

    private func run(_ words: String...) async -> CommandOutcome {
        await CommandOutcome(words + ["--data", folder.data.path])
    }

    private func set(_ settings: String) throws {
        try settings.write(toFile: folder.data.settings, atomically: false, encoding: .utf8)
    }

    @Test("the store is moved to a database and back, and it says how far it has come and what to do then")
    func thereAndBack() async throws {
        let moved = await run("migrate", "--from", "folder", "--to", uri)
        #expect(moved.status == .done, "\(moved.messages)")
        #expect(moved.messages.contains("Moved: groups 2 of 3, events 0.\n"))
        #expect(moved.data.contains("store = \(uri)"))
        let again = await run("migrate", "--from", "folder", "--to", uri)
        #expect(again.status == .failed && again.messages.contains("There is a store in the target already"))
        try set("store = \(uri)\n")
        #expect(await run("status").data.contains("Groups: 3."))
        #expect(await run("invite").status == .done)

        let refused = await run("migrate", "--from", uri, "--to", "folder")
        #expect(
            refused.status == .failed && refused.messages.contains("There is a store in the target already"))
        try FileManager.default.removeItem(atPath: folder.data.store)
        // The write-ahead log of a killed server would be read into the moved store.
        let log = folder.data.store + "-wal"
        try "left".write(toFile: log, atomically: false, encoding: .utf8)
        #expect(await run("migrate", "--from", uri, "--to", "folder").status == .failed)
        try FileManager.default.removeItem(atPath: log)
        #expect(await run("migrate", "--from", uri, "--to", "folder").status == .done)
        try set("")
        #expect(await run("status").data.contains("Groups: 3."))
        #expect(await run("verify").status == .done)
        let audit = try String(contentsOfFile: folder.data.audit, encoding: .utf8)
        #expect(audit.split(separator: "\n").count { $0.contains("event=store-moved") } == 2)
    }

    @Test("nothing is moved while a server runs, nor from where none is")
    func refused() async throws {
        do {
            let lock = try DataLock(folder.data)
            let running = await run("migrate", "--from", "folder", "--to", uri)
            #expect(running.status == .failed && running.messages.contains("Another focusd serves"))
            _ = consume lock
        }
        let empty = await run("migrate", "--from", uri, "--to", "folder")
        #expect(empty.status == .failed)
        try FileManager.default.removeItem(atPath: folder.data.store)
        let missing = await run("migrate", "--from", "folder", "--to", uri)
        #expect(missing.status == .failed && missing.messages.contains("There is no server"))
        #expect(await run("migrate", "--from", "folder", "--to", "folder").status == .usage)
        #expect(await run("migrate", "--from", "folder").status == .usage)
    }

    @Test("a password on the command line is refused, and not said again")
    func password() async throws {
        for text in [
            "postgresql://me:secret@db/x", "postgresql://me:secret/x@db", "postgresql://db/x?password=secret",
        ] {
            let outcome = await run("migrate", "--from", "folder", "--to", text)
            #expect(outcome.status == .usage)
            #expect(!outcome.messages.contains("secret"), "\(outcome.messages)")
        }
    }
}
