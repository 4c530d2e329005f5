import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Glibc
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerFiles
@testable import FocusServerStore
@testable import FocusServing
@testable import FocusWriter

@Suite("A store of an older version")
struct StoreUpgradeTests {
    /// A server whose store has version 1, with a group, a device, events and an open invite.
    private final class OldServer {
        let folder = try? TemporaryFolder()

        init() throws {
            _ = try IdentityFile(path: data.identity).loadOrCreate()
            let database = try Database(path: data.store, access: .readWriteCreate)
            try database.migrate(
                to: Schema(applicationID: Schema.server.applicationID, migrations: [version1]))
            try database.execute(
                """
                INSERT INTO addresses VALUES (0, 'one');
                INSERT INTO groups (id, created) VALUES (x'00000000000000010000000000000002', 1);
                INSERT INTO devices VALUES (x'\(String(repeating: "10", count: 32))', 1, 1, 2, NULL);
                INSERT INTO devices VALUES (x'\(String(repeating: "20", count: 32))', 1, 3, 3, NULL);
                INSERT INTO devices VALUES (x'\(String(repeating: "30", count: 32))', 1, 4, 0, 4);
                INSERT INTO invites VALUES (x'\(String(repeating: "50", count: 32))', 1, x'01', 5, NULL);
                INSERT INTO epochs VALUES (1, 3, NULL, x'');
                """)
            var author = Author(9)
            let segment = try author.write(5)
            let stamp = try #require(segment.events.max { $0.stamp < $1.stamp }?.stamp)
            try database.run(
                "INSERT INTO segments VALUES (1, ?, 1, 5, ?, ?, ?, ?)", segment.replica.rawValue,
                stamp.rawValue,
                segment.chainBefore.bytes, author.chain.bytes, segment.packed)
        }

        private var version1: String { Schema.server.migrations[0] }

        var data: DataFolder { folder?.data ?? DataFolder(path: "/nowhere") }

        var copy: String { "\(data.store).version-1" }

        func run(_ words: String...) async -> CommandOutcome {
            await CommandOutcome(words + ["--data", data.path])
        }
    }

    private let server: OldServer

    init() throws { server = try OldServer() }

    @Test("is upgraded by the first command, which says where it is kept as it was; nothing is lost")
    func upgrade() async throws {
        let first = await server.run("groups")
        #expect(first.status == .done)
        #expect(first.messages.contains("from version 1 to \(Schema.server.version)"))
        #expect(first.messages.contains(server.copy))
        #expect(first.data.contains("devices 1 "))
        #expect(first.data.contains("events 5 "))
        #expect(await server.run("groups").messages.isEmpty)
        #expect(await server.run("verify").status == .done)
        var status = stat()
        #expect(stat(server.copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("is upgraded by the server as it starts, which writes laptops' events to it as before")
    func serving() async throws {
        var settings = ServerSettings()
        settings.listen = .init("127.0.0.1:0")
        settings.metrics = .nowhere
        let running = try await RunningServer(
            server.data, RunningServer.Options(settings: settings),
            log: .standardError(.info, server.data))
        await running.server.stop()
        await running.waitUntilStopped()
        #expect(access(server.copy, F_OK) == 0)
        let store = try SQLiteServerStore(at: server.data.store, access: .readWrite)
        #expect(try store.read { try $0.logs() }[ServerFixture.group]?.size.events == 5)
        #expect(try store.read { try $0.deviceSummaries() }.map(\.events) == [0, 0, 0])
    }

    @Test("knows which of its devices were ever here, and lists the others; its old invites end")
    func belonging() async throws {
        _ = await server.run("groups")
        let store = try SQLiteServerStore(at: server.data.store, access: .readWrite)
        let devices = try store.read { try $0.devices() }
        #expect(try devices.map(\.key) == [digest(0x10), digest(0x20), digest(0x30)])
        #expect(devices.map(\.isProved) == [true, false, false])
        #expect(devices.map { $0.revoked != nil } == [false, false, true])
        #expect(
            try store.read { try $0.rosterSize(of: 1) }
                == RosterSize(proved: 1, provedRevoked: 0, listed: 2, listedRevoked: 1))
        try store.write { try $0.forgetInvites(now: SharedInstant(milliseconds: 10)) }
        let invite = try #require(try store.read { try $0.invite(digest(0x50)) })
        #expect(invite.ended?.milliseconds == 5 && invite.bundle == nil)
    }

    @Test("stays as it is while a server runs that may be older, and the command says what to do")
    func running() async throws {
        let lock = try DataLock(server.data)
        let refused = await server.run("groups")
        #expect(refused.status == .failed)
        #expect(refused.messages.contains("Restart the server first"))
        #expect(access(server.copy, F_OK) != 0)
        lock.letGo()
        #expect(await server.run("groups").status == .done)
    }

    @Test("can be checked and restored from a backup that an older version made")
    func backup() async throws {
        let folder = try #require(server.folder)
        let backup = "\(folder.data.path)/backup"
        let pem = try #require(try IdentityFile(path: server.data.identity).load()).pem().exposed()
        try Database(path: server.data.store, access: .readWrite).copy(to: backup)
        do {
            let database = try Database(path: backup, access: .readWrite)
            try database.execute("CREATE TABLE backup_identity (pem BLOB NOT NULL) STRICT")
            try database.run("INSERT INTO backup_identity (pem) VALUES (?)", pem)
        }
        let checked = await server.run("verify", backup)
        #expect(checked.status == .done)
        #expect(checked.data.contains("Events: 5."))
        #expect(await server.run("restore", backup, "--replace").status == .done)
        #expect(await server.run("groups").data.contains("events 5 "))
        // The backup is what it was, and no copy of its copy is left.
        try Database(path: backup, access: .readOnly).requireKnown(.server)
        #expect(access(server.copy, F_OK) != 0)
        #expect(access("\(server.data.store).restored.version-1", F_OK) != 0)
    }

    @Test("a store of a newer version is refused, with both versions and what to do, and stays as it is")
    func newer() async throws {
        _ = await server.run("groups")
        let known = Schema.server.version
        do {
            try Database(path: server.data.store, access: .readWrite)
                .execute("PRAGMA user_version=\(known + 3)")
        }
        for command in [["groups"], ["serve"], ["init"], ["status"], ["verify"]] {
            let refused = await CommandOutcome(command + ["--data", server.data.path])
            #expect(refused.status == .failed)
            #expect(refused.messages.contains("has version \(known + 3)"), "\(refused.messages)")
            #expect(refused.messages.contains("versions up to \(known)"))
            #expect(refused.messages.contains("Install that one"))
        }
    }
}
