import CommandLineKit
import FocusServerFiles
import FocusServerStore
import Foundation
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@Suite("Commands for a server whose store is in PostgreSQL", .ends(within: .seconds(600)))
struct DatabaseCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try set("store = \(TestPostgreSQL.running.makeDatabaseText())\n")
    }

    private func set(_ settings: String) throws {
        try settings.write(toFile: folder.data.settings, atomically: false, encoding: .utf8)
    }

    private func run(_ words: String...) async -> CommandOutcome {
        await CommandOutcome(words + ["--data", folder.data.path])
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
        #expect(await run("verify").data.contains("is whole. Groups: 0. Events: 0."))
        #expect(await run("rekey", "cancel").status == .done)
    }

    @Test(
        "no backup is made of a database, nor put into one: they say whose business that is, and what else to copy"
    )
    func backups() async throws {
        _ = await run("init", "--address", "one")
        let file = folder.file("backup")
        for words in [["backup", file], ["restore", file, "--replace"]] {
            let outcome = await CommandOutcome(words + ["--data", folder.data.path])
            #expect(outcome.status == .failed)
            for word in ["pg_dump", "identity.pem", "focusd.conf"] {
                #expect(outcome.messages.contains(word))
            }
        }
        #expect(access(file, F_OK) != 0)
        let settings = try String(contentsOfFile: folder.data.settings, encoding: .utf8)
        try set("\(settings)backup-folder = \(folder.file("backups"))\n")
        let served = await run("serve")
        #expect(served.status == .failed && served.messages.contains("'backup-folder' has to be 'off'"))
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

    @Test("a command doesn't go by a file in which something is wrong: its store might be another")
    func wrongFile() async throws {
        _ = await run("init", "--address", "one")
        try set("stroe = folder\n")
        let outcome = await run("status")
        #expect(
            outcome.status == .failed
                && outcome.messages.contains("focusd.conf:1: There is no setting 'stroe'"))
    }
}
