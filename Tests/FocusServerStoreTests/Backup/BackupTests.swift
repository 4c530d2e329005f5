import CommandLineKit
import FocusCore
import FocusSeal
import FocusSync
import Foundation
import Glibc
import PostgreSQLKit
import SQLiteKit
import ServerSupport
import SystemKit
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerStore

@Suite struct BackupTests {
    /// A server with a group, some events and an open invite, and a folder for copies of it.
    private final class Server {
        let installation: Installation
        let copies: TemporaryFolder
        let invite: Digest

        init() throws {
            installation = try Installation()
            copies = try TemporaryFolder()
            invite = try digest(0x55)
            let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
            try store.write { transaction in
                let number = try transaction.addGroup(ServerFixture.group, now: 1)
                try transaction.putEpoch(EpochRecord(naming: ServerFixture.epoch), group: number)
                try transaction.putDevice(digest(0x10), inGroup: number, now: 1)
                try transaction.addInvite(
                    invite, group: number, bundle: [1, 2, 3], expires: .distantFuture, by: nil)
                try add(5, to: transaction)
            }
        }

        var backup: String { copies.data.path + "/backup" }

        /// The names in the folder for copies, without hidden ones.
        var names: [String] { SystemKit.names(inFolder: copies.data.path).filter { !$0.hasPrefix(".") } }

        /// Leaves the temporary folder of a program that was killed while it made a file.
        func leavePart(of target: String) throws {
            let folder = target + ".part-Xy3zQ9"
            #expect(mkdir(folder, 0o700) == 0)
            for name in ["store", "store-journal"] { #expect(close(creat("\(folder)/\(name)", 0o600)) == 0) }
        }

        /// Adds `count` events of another replica.
        func add(_ count: Int, to store: any ServerTransaction) throws {
            let log = try #require(try store.logs()[ServerFixture.group])
            var author = Author(UInt64(count))
            let first = try author.write(count)
            let stamp = try #require(first.events.max { $0.stamp < $1.stamp }?.stamp)
            let head = ReplicaHead(head: Head(seq: UInt64(count), chain: author.chain), stamp: stamp)
            try store.addSegment(first, through: head, group: log.number)
        }

        func run(_ words: String..., on folder: DataFolder? = nil) async -> CommandLineKit.ExitStatus {
            await run(words, on: folder)
        }

        func run(_ words: [String], on folder: DataFolder? = nil) async -> CommandLineKit.ExitStatus {
            let folder = folder ?? installation.folder
            return await FocusdProgram.run(words + ["--data", folder.path], installation.console)
        }

        /// The folder of another server.
        var other: DataFolder { DataFolder(path: copies.data.path + "/other") }
    }

    private func logs(in folder: DataFolder) throws -> [GroupID: GroupIndex] {
        try SQLiteServerStore(at: folder.store, access: .readWrite).read { try $0.logs() }
    }

    @Test(
        "what root makes in another user's folder is that user's: by init, backup and restore, and what is moved aside",
        .enabled(if: geteuid() == 0, "needs to be two users"))
    func othersFolder() async throws {
        let server = try Server()
        let others = "\(server.copies.data.path)/others"
        let user: uid_t = 12_345
        try #require(mkdir(others, 0o700) == 0 && chown(others, user, user) == 0)
        for words in [
            ["init", "--address", "127.0.0.1"], ["backup", "\(others)/backup"],
            ["restore", "\(others)/backup", "--replace"],
        ] {
            #expect(
                await server.run(words, on: DataFolder(path: "\(others)/server")) == .done, "\(words)")
        }
        let made = try FileManager.default.subpathsOfDirectory(atPath: others)
        #expect(made.contains("server/focusd.db") && made.contains("server/audit.log"))
        for name in made {
            var status = stat()
            #expect(lstat("\(others)/\(name)", &status) == 0 && status.st_uid == user, "\(name)")
        }
    }

    @Test("a backup restored elsewhere is the same server, for its user alone")
    func elsewhere() async throws {
        let server = try Server()
        #expect(await server.run("backup", server.backup) == .done)
        var status = stat()
        #expect(stat(server.backup, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let other = server.other
        #expect(await server.run("restore", server.backup, on: other) == .done)
        #expect(try logs(in: other) == logs(in: server.installation.folder))
        #expect(try IdentityFile(path: other.identity).load()?.keyHash == server.installation.key())
        #expect(stat(other.store, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let store = try SQLiteServerStore(at: other.store, access: .readWrite)
        let tables: Int64? = try store.database.first(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'backup_identity'"
        ) { $0[0] }
        #expect(tables == 0)
        let mode: String? = try store.database.first("PRAGMA journal_mode") { $0[0] }
        #expect(mode == "wal")
        #expect(try !store.read { try $0.addresses() }.isEmpty)
        // The server's key is nowhere in the restored store's bytes.
        #expect(try bytes(of: server.backup).contains("PRIVATE KEY"))
        #expect(try !bytes(of: other.store).contains("PRIVATE KEY"))
    }

    private func bytes(of path: String) throws -> String {
        let descriptor = try #require(open(path, O_RDONLY) as Int32?)
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &buffer, buffer.count)
        try #require(count > 0)
        return String(decoding: buffer.prefix(count), as: Unicode.ASCII.self)
    }

    @Test("a backup can be made while others write, and has what was there at one moment")
    func serving() async throws {
        let server = try Server()
        let writer = try SQLiteServerStore(at: server.installation.folder.store, access: .readWrite)
        let before = try writer.read { try $0.logs() }
        let status = try await server.installation.serving { _, _ in
            try writer.database.execute("BEGIN IMMEDIATE")
            try server.add(7, to: SQLiteTransaction(writer))
            let status = await server.run("backup", server.backup)
            try writer.database.execute("COMMIT")
            return status
        }
        #expect(status == .done)
        #expect(try SQLiteServerStore(at: server.backup, access: .readOnly).read { try $0.logs() } == before)
        #expect(await server.run("verify", server.backup) == .done)
        #expect(try logs(in: server.installation.folder) != before)
    }

    @Test("what a killed backup left is in nobody's way, and goes with the next one")
    func leftover() async throws {
        let server = try Server()
        try server.leavePart(of: server.backup)
        #expect(await server.run("backup", server.backup) == .done)
        #expect(server.names == ["backup"])
        // The same holds for the leftovers of a killed restore beside the store.
        let store = server.installation.folder.store
        try server.leavePart(of: store)
        #expect(await server.run("restore", server.backup, "--replace") == .done)
        #expect(
            SystemKit.names(inFolder: server.installation.folder.path).allSatisfy { !$0.contains(".part") })
    }

    @Test(
        "a file or a link that somebody put beside a backup's or a store's place receives nothing of it",
        arguments: ["file", "link", "dangling link", "folder"])
    func planted(what: String) async throws {
        let server = try Server()
        let target = server.copies.data.path + "/target"
        func plant(_ path: String) throws {
            switch what {
            case "file": #expect(close(creat(path, 0o666)) == 0)
            case "folder": #expect(mkdir(path, 0o777) == 0)
            default: #expect(symlink(target, path) == 0)
            }
        }
        if what == "link" { #expect(close(creat(target, 0o666)) == 0) }
        for place in [server.backup, server.installation.folder.store] {
            for ending in [".part", ".part-journal", ".restored"] { try plant(place + ending) }
        }
        // The link must not be mistaken for the leftovers of a backup either.
        #expect(symlink(server.copies.data.path, server.backup + ".part-abcdef") == 0)
        #expect(close(creat(server.copies.data.path + "/store", 0o600)) == 0)
        #expect(await server.run("backup", server.backup) == .done)
        #expect(await server.run("restore", server.backup, "--replace") == .done)
        var status = stat()
        for path in server.names.map({ server.copies.data.path + "/" + $0 }) where path != server.backup {
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & S_IFMT != S_IFREG || status.st_size == 0, "\(path)")
        }
        #expect((access(target, F_OK) == 0) == (what == "link"))
        #expect(access(server.copies.data.path + "/store", F_OK) == 0)
    }

    @Test("a link where the backup itself is to be is not followed, wherever it leads")
    func linked() async throws {
        let server = try Server()
        let target = server.copies.data.path + "/target"
        #expect(symlink(target, server.backup) == 0)
        #expect(await server.run("backup", server.backup) == .failed)
        #expect(access(target, F_OK) != 0)
        #expect(server.names == ["backup"])
    }

    @Test(
        "a server that is there is only replaced when asked for, and is kept aside; open invites have ended")
    func replacing() async throws {
        let server = try Server()
        let folder = server.installation.folder
        _ = await server.run("backup", server.backup)
        let backedUp = try logs(in: folder)
        do {
            try SQLiteServerStore(at: folder.store, access: .readWrite).write { try server.add(3, to: $0) }
        }
        let later = try logs(in: folder)
        #expect(await server.run("restore", server.backup) == .failed)
        #expect(try logs(in: folder) == later)
        let aside = try BackupFile(path: server.backup).restore(
            into: folder, isReplacing: true, now: SharedInstant(milliseconds: 7)
        ) {}
        #expect(try logs(in: folder) == backedUp)
        #expect(aside == folder.path + "/replaced-7")
        #expect(try logs(in: DataFolder(path: folder.path + "/replaced-7")) == later)
        // The invite may have been used since the backup.
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let invite = try #require(try store.read { try $0.invite(server.invite) })
        #expect(invite.ended != nil && invite.bundle == nil)
    }

    @Test("a restore that fails at its end leaves the folder as it was, with a server or without one")
    func failingAtEnd() async throws {
        struct Failure: Error {}
        let server = try Server()
        let (folder, backup) = (server.installation.folder, BackupFile(path: server.backup))
        try backup.write(folder)
        do {
            try SQLiteServerStore(at: folder.store, access: .readWrite).write { try server.add(3, to: $0) }
        }
        let (later, keys) = (try logs(in: folder), try folder.loadIdentities().map(\.keyHash))
        #expect(throws: Failure.self) {
            try backup.restore(into: folder, isReplacing: true, now: 7) { throw Failure() }
        }
        #expect(try logs(in: folder) == later)
        #expect(try folder.loadIdentities().map(\.keyHash) == keys)
        #expect(access(folder.path + "/replaced-7", F_OK) != 0)

        #expect(throws: Failure.self) {
            try backup.restore(into: server.other, isReplacing: false, now: 7) { throw Failure() }
        }
        #expect(access(server.other.store, F_OK) != 0 && access(server.other.identity, F_OK) != 0)
        _ = try backup.restore(into: server.other, isReplacing: false, now: 8) {}
        #expect(try logs(in: server.other) != later)
    }

    @Test(
        "what a killed server had in its write-ahead log is not read into the store that is restored in its place"
    )
    func leftLog() async throws {
        let server = try Server()
        let folder = server.installation.folder
        _ = await server.run("backup", server.backup)
        let backedUp = try logs(in: folder)
        let log = folder.store + "-wal"
        let kept = server.copies.data.path + "/kept"
        do {
            let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
            try store.write { try server.add(3, to: $0) }
            #expect(link(log, kept) == 0)
            // A person who removes the server's files knows of these two, but not of the log.
            for file in [folder.store, folder.identity] { #expect(unlink(file) == 0) }
        }
        #expect(access(log, F_OK) == 0 || link(kept, log) == 0)
        #expect(await server.run("restore", server.backup) == .failed)
        #expect(access(folder.store, F_OK) != 0)
        #expect(await server.run("restore", server.backup, "--replace") == .done)
        #expect(try logs(in: folder) == backedUp)
        #expect(await server.run("verify") == .done)
    }

    @Test("what a server that ended left beside its store is in no restored one's way")
    func leftEmptyLog() async throws {
        let server = try Server()
        let folder = server.installation.folder
        _ = await server.run("backup", server.backup)
        let backedUp = try logs(in: folder)
        for file in [folder.store, folder.identity] { #expect(unlink(file) == 0) }
        #expect(access(folder.store + "-wal", F_OK) == 0)
        #expect(await server.run("restore", server.backup) == .done)
        #expect(try logs(in: folder) == backedUp)
    }

    @Test("nothing is restored below a server that runs") func running() async throws {
        let server = try Server()
        _ = await server.run("backup", server.backup)
        let status = try await server.installation.serving { _, _ in
            await server.run("restore", "--replace", server.backup)
        }
        #expect(status == .failed)
    }

    @Test(
        "a backup during which the server's keys change isn't kept, and the next one has the keys that are announced",
        arguments: [[], ["rekey finish --yes"], ["rekey cancel"], ["rekey finish --yes", "rekey"]])
    func keysChange(commands: [String]) async throws {
        let server = try Server()
        let folder = server.installation.folder
        func run(_ command: String) async -> CommandLineKit.ExitStatus {
            await server.run(command.split(separator: " ").map(String.init))
        }
        // If no commands are given, a key is announced while the backup is made.
        if !commands.isEmpty { #expect(await run("rekey") == .done) }
        let backup = BackupFile(path: server.backup)
        let part = try backup.make(of: folder, isChecked: true)
        for command in commands.isEmpty ? ["rekey"] : commands { #expect(await run(command) == .done) }
        var failure: (any Error)?
        do { try backup.publish(part, of: folder) } catch { failure = error }
        #expect(failure as? BackupFailure == .keysChanged)
        #expect(server.names == [])

        #expect(await server.run("backup", server.backup) == .done)
        let other = server.other
        #expect(await server.run("restore", server.backup, on: other) == .done)
        #expect(try other.loadIdentities().map(\.keyHash) == folder.loadIdentities().map(\.keyHash))
        let announced = try SQLiteServerStore(at: other.store, access: .readWrite).read {
            try $0.announcedKey()?.key
        }
        #expect(try announced == other.loadIdentities().dropFirst().first?.keyHash)
        #expect((announced == nil) == (commands.count == 1))
    }

    @Test(
        "a backup that somebody has changed isn't called whole nor restored, and from such a store nobody serves",
        arguments: [
            // The first two lose presses that are acknowledged. The third keeps a device from being revoked.
            "CREATE TRIGGER t BEFORE INSERT ON recent BEGIN SELECT RAISE(IGNORE); END",
            "CREATE TRIGGER t AFTER INSERT ON recent BEGIN DELETE FROM recent WHERE number = NEW.number; END",
            """
            CREATE TRIGGER t AFTER UPDATE OF revoked ON devices WHEN NEW.revoked > 0 BEGIN
                UPDATE devices SET revoked = NULL WHERE key = NEW.key; END
            """,
            "DROP TRIGGER device_came", "DROP INDEX proved_devices",
            "DROP TABLE addresses; CREATE VIEW addresses AS SELECT 1 AS place, 'elsewhere:1' AS address",
            "CREATE TABLE more (x)",
        ])
    func crafted(change: String) async throws {
        let server = try Server()
        #expect(await server.run("backup", server.backup) == .done)
        do { try Database(path: server.backup, access: .readWrite).execute(change) }
        let before = try logs(in: server.installation.folder)
        #expect(await server.run("verify", server.backup) == .failed)
        #expect(await server.run("restore", server.backup, "--replace") == .failed)
        #expect(try logs(in: server.installation.folder) == before)
        try server.installation.execute(change)
        let refused = await CommandOutcome(["status", "--data", server.installation.folder.path])
        #expect(refused.status == .failed)
        #expect(refused.messages.contains("another program has changed the database's schema"))
        #expect(refused.messages.contains("Restore a backup"))
        for command in ["verify", "serve", "groups"] { #expect(await server.run(command) == .failed) }
    }

    @Test("no backup is made over a file, or of a store that is in a database, damaged or can't be read")
    func unmade() throws {
        let server = try Server()
        let (folder, backup) = (server.installation.folder, BackupFile(path: server.backup))
        try backup.write(folder)
        let first = try bytes(of: server.backup)
        #expect(throws: BackupFailure.exists(server.backup)) { try backup.write(folder) }
        #expect(try bytes(of: server.backup) == first)
        try #require(unlink(server.backup) == 0)
        #expect(throws: (any Error).self) {
            try BackupFile(path: server.copies.file("missing/backup")).write(folder)
        }
        #expect(throws: BackupFailure.isInDatabase(try inDatabase(folder))) {
            try backup.write(inDatabase(folder))
        }

        try server.installation.execute("UPDATE recent SET first_seq = 2")
        let problem = StoreProblem.events(
            ServerFixture.group, ReplicaID(rawValue: 5), from: 2, .missing(from: 1, through: 1))
        #expect(throws: BackupFailure.storeIsDamaged(problem, folder)) {
            try backup.write(folder, isChecked: true)
        }

        try spoilTable("invites", of: folder)
        let unwritable = #expect(throws: BackupFailure.self) { try backup.write(folder) }
        guard case .unwritable(server.backup, let error) = unwritable else {
            throw try #require(unwritable)
        }
        #expect(error.code == .corrupt)
        #expect(server.names == [])
    }

    private func inDatabase(_ folder: DataFolder) throws -> DataFolder {
        var folder = folder
        folder.place = .database(try #require(PostgreSQLAddress("postgresql://db.example.org/focusd")))
        return folder
    }

    /// Overwrites the first page of a table.
    private func spoilTable(_ name: String, of folder: DataFolder) throws {
        let database = try Database(path: folder.store, access: .readWrite)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let root: Int64? = try database.first("SELECT rootpage FROM sqlite_schema WHERE name = ?", name) {
            $0[0]
        }
        let size: Int64? = try database.first("PRAGMA page_size") { $0[0] }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.store))
        try file.seek(toOffset: UInt64(#require(root) - 1) * UInt64(#require(size)))
        try file.write(contentsOf: Data(repeating: 0xFF, count: Int(#require(size))))
    }

    @Test(
        "nothing is restored from what is no backup or a damaged one, over a server or a key, or into a database"
    )
    func unrestored() async throws {
        let server = try Server()
        let (folder, backup) = (server.installation.folder, BackupFile(path: server.backup))
        let other = server.other
        func restore(_ path: String, into folder: DataFolder) throws {
            _ = try BackupFile(path: path).restore(into: folder, isReplacing: false, now: 1) {}
        }
        try backup.write(folder)
        #expect(throws: BackupFailure.wouldReplace(server.backup, folder)) {
            try restore(server.backup, into: folder)
        }
        #expect(throws: BackupFailure.targetIsDatabase(try inDatabase(folder))) {
            try restore(server.backup, into: inDatabase(folder))
        }
        let whole = #expect(throws: BackupFailure.self) { try restore(folder.identity, into: other) }
        guard case .isNotWhole(folder.identity, _) = whole else { throw try #require(whole) }
        let foreign = server.copies.file("foreign")
        try Database(path: foreign, access: .readWriteCreate).execute("CREATE TABLE more (x)")
        let unknown = #expect(throws: BackupFailure.self) { try restore(foreign, into: other) }
        guard case .isForeign(foreign, _) = unknown else { throw try #require(unknown) }
        #expect(throws: RestoreFailure.hasNoKey) { try restore(folder.store, into: other) }
        #expect(throws: (any Error).self) { try restore(server.copies.file("missing"), into: other) }
        let damaged = server.copies.file("damaged")
        try BackupFile(path: damaged).write(folder)
        try Database(path: damaged, access: .readWrite).execute("UPDATE recent SET first_seq = 2")
        let before = try logs(in: folder)
        #expect(await server.run("restore", "--replace", damaged) == .failed)
        #expect(await server.run("verify", damaged) == .failed)
        #expect(try logs(in: folder) == before)
        #expect(access(folder.store + ".restored", F_OK) != 0)

        // The link leads nowhere, so there is no server, but the key's name is taken.
        #expect(symlink("nowhere", other.identity) == 0)
        #expect(throws: BackupFailure.keyExists(other.identity)) { try restore(server.backup, into: other) }
        #expect(access(other.store, F_OK) != 0)
        #expect(unlink(other.identity) == 0)
        try restore(server.backup, into: other)
    }

    @Test("a key that was announced is a part of a server: it isn't left beside one that is restored")
    func announcedKeyLeft() async throws {
        let server = try Server()
        let (folder, backup) = (server.installation.folder, BackupFile(path: server.backup))
        #expect(await server.run("rekey") == .done)
        try backup.write(folder)
        for file in [folder.store, folder.identity] { #expect(unlink(file) == 0) }
        #expect(throws: BackupFailure.wouldReplace(server.backup, folder)) {
            _ = try backup.restore(into: folder, isReplacing: false, now: 1) {}
        }
        #expect(access(folder.identity, F_OK) != 0)
        #expect(await server.run("restore", server.backup, "--replace") == .done)
    }
}
