import CommandLineKit
import FocusCore
import FocusServerStore
import Foundation
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@Suite("Commands for a server whose store is in PostgreSQL", .ends(within: .seconds(600)))
struct DatabaseCommandTests: CommandSuite {
    private let folder: TemporaryFolder
    var data: DataFolder { folder.data }

    init() throws {
        folder = try TemporaryFolder()
        try set("store = \(TestPostgreSQL.running.makeDatabaseText())\n")
    }

    @Test("the store is made in the database, and every command goes by it")
    func commands() async throws {
        #expect(await run("status").messages.contains("There is no server"))
        #expect(await run("init", "--address", "one").status == .done)
        #expect(await run("init").data.contains("Invites name one."))
        #expect(access(folder.data.store, F_OK) != 0)
        for words in ["status", "groups", "devices", "invite", "clock", "verify", "rekey"] {
            let outcome = await run(words)
            #expect(outcome.status == .done, "\(words): \(outcome.messages)")
        }
        #expect(await run("verify").data.contains("is intact. Groups: 0. Events: 0."))
        #expect(await run("rekey", "cancel").status == .done)
    }

    @Test("no backup is made of a database, nor put into one: each command names tools and other files")
    func backups() async throws {
        _ = await run("init", "--address", "one")
        let file = folder.file("backup")
        for (words, tool) in [
            (["backup", file], "pg_dump"), (["restore", file, "--replace"], "pg_restore"),
        ] {
            let outcome = await CommandOutcome(words + ["--data", folder.data.path])
            #expect(outcome.status == .failed)
            for word in [tool, "identity.pem", "focusd.conf"] {
                #expect(outcome.messages.contains(word))
            }
        }
        #expect(access(file, F_OK) != 0)
    }

    @Test("a server isn't made by starting one, nor where the database can't be reached")
    func missing() async throws {
        _ = await run("init", "--address", "one")
        try set("store = \(TestPostgreSQL.running.makeDatabaseText())\n")
        let empty = await run("serve")
        #expect(empty.status == .failed && empty.messages.contains("There is no server's store in"))
        try set("store = postgresql://me:secret@/focusd?host=\(folder.path)\n")
        #expect(chmod(folder.data.settings, 0o600) == 0)
        for word in ["init", "status", "serve"] {
            let away = await run(word)
            #expect(away.status == .failed)
            #expect(away.messages.contains("The database postgresql://me:***@/focusd"), "\(away.messages)")
            #expect(away.messages.contains("can't be reached") && !away.messages.contains("secret"))
        }
    }

    @Test("the key isn't changed over while another server runs, which is named; this folder's own may")
    func rekeying() async throws {
        _ = await run("init", "--address", "one")
        _ = await run("rekey")
        let neighbour = try TemporaryFolder()
        let settings = try String(contentsOfFile: folder.data.settings, encoding: .utf8)
        let place = try #require(StoreLocation(String(settings.dropFirst("store = ".count).dropLast())))
        var (mine, other) = (folder.data, neighbour.data)
        (mine.place, other.place) = (place, place)
        let readers = try [mine, other].map { try #require(try $0.joinServers(now: 0)) }
        let refused = await run("rekey", "finish", "--yes")
        #expect(refused.status == .notNow)
        #expect(refused.messages.contains(other.serverPlace), "\(refused.messages)")
        #expect(!refused.messages.contains(mine.serverPlace))
        #expect(await run("status").data.contains("Its key is about to change"))
        readers[1].end()
        let finished = await run("rekey", "finish", "--yes")
        #expect(finished.status == .done)
        #expect(finished.messages.contains("copy \(folder.data.identity) to them"), "\(finished.messages)")
    }

    @Test("behind a pooler that shares connections, commands say what to do instead")
    func pooler() async throws {
        let database = try TestPostgreSQL.running
        let pooler = try TestPooler(before: database, .transaction)
        try set("store = \(pooler.address(of: database.makeDatabaseName()).shown)\n")
        for word in ["init", "serve"] {
            let refused = await run(word)
            #expect(refused.status == .failed)
            #expect(refused.messages.contains("pool_mode = session"), "\(word): \(refused.messages)")
        }
    }

    /// Makes a server with three groups and its store in a file. Returns the address of an empty database.
    private func serverInFolder() async throws -> String {
        try FileManager.default.removeItem(atPath: data.settings)
        _ = await run("init", "--address", "one")
        let store = try data.openStore(.writing)
        for low: UInt64 in 1...3 {
            try store.write { _ = try $0.addGroup(GroupID(high: 0, low: low), now: 1) }
        }
        return try TestPostgreSQL.running.makeDatabaseText()
    }

    @Test("the store is moved to a database and back, and it says how far it has come and what to do then")
    func thereAndBack() async throws {
        let uri = try await serverInFolder()
        try data.openStore(.writing).write { try $0.noteBackup("/srv/backup", at: 1) }
        #expect(await run("status").data.contains("Last automatic backup: "))
        let moved = await run("migrate", "--from", "folder", "--to", uri)
        #expect(moved.status == .done, "\(moved.messages)")
        #expect(moved.messages.contains("Moved: groups 2 of 3, events 0.\n"))
        #expect(moved.data.contains("store = \(uri) and no backup-folder\n"))
        let again = await run("migrate", "--from", "folder", "--to", uri)
        #expect(again.status == .failed && again.messages.contains("There is a store in the target already"))
        try set("store = \(uri)\n")
        let status = await run("status").data
        #expect(status.contains("Groups: 3.") && !status.contains("Last automatic"), "\(status)")
        #expect(await run("invite").status == .done)

        let refused = await run("migrate", "--from", uri, "--to", "folder")
        #expect(
            refused.status == .failed && refused.messages.contains("There is a store in the target already"))
        try FileManager.default.removeItem(atPath: data.store)
        // The write-ahead log of a killed server would be read into the moved store.
        let log = data.store + "-wal"
        try "left".write(toFile: log, atomically: false, encoding: .utf8)
        #expect(await run("migrate", "--from", uri, "--to", "folder").status == .failed)
        try FileManager.default.removeItem(atPath: log)
        #expect(await run("migrate", "--from", uri, "--to", "folder").status == .done)
        try set("")
        #expect(await run("status").data.contains("Groups: 3."))
        #expect(await run("verify").status == .done)
        #expect(try audit.split(separator: "\n").count { $0.contains("event=store-moved") } == 2)
    }

    @Test("nothing is moved while a server runs, nor from where none is")
    func refused() async throws {
        let uri = try await serverInFolder()
        do {
            let lock = try DataLock(folder.data)
            let running = await run("migrate", "--from", "folder", "--to", uri)
            #expect(running.status == .failed && running.messages.contains("Another focusd serves"))
            _ = consume lock
        }
        let empty = await run("migrate", "--from", uri, "--to", "folder")
        #expect(empty.status == .failed)
        try FileManager.default.removeItem(atPath: data.store)
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
