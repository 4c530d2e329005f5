import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusSync
import Foundation
import Glibc
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("What a server says of itself in its log", .ends(within: .seconds(300)))
struct ServingLogTests {
    /// Runs a server on this folder until its log has all of these events.
    private func serve(
        _ folder: DataFolder, until events: Set<String>, _ change: (inout ServerSettings) -> Void = { _ in },
        doing body: () throws -> Void = {}
    ) async throws {
        var settings = ServerSettings()
        settings.listen = .init("127.0.0.1:0")
        settings.metrics = .nowhere
        change(&settings)
        let book = LogRecorder()
        let running = try await RunningServer(
            folder, RunningServer.Options(settings: settings), log: book.log)
        do {
            try body()
            try await waitUntil("the log says \(events)") { events.isSubset(of: book.events) }
        } catch {
            Issue.record(error)
        }
        await running.server.stop()
        await running.waitUntilStopped()
    }

    @Test("its address, and that it can make no backup")
    func backup() async throws {
        let installation = try Installation()
        try await serve(installation.folder, until: ["ready", "metrics", "backup-failed"]) {
            $0.metrics = Address("127.0.0.1:0").map(MetricsAddress.at) ?? .auto
            $0.backups.folder = installation.folder.path + "/not/mounted"
        }
    }

    @Test(
        "an old backup that belongs to another user stays",
        .enabled(if: geteuid() == 0, "needs to be two users"))
    func othersBackup() async throws {
        await #expect(processExitsWith: .success) {
            let installation = try Installation()
            let backups = installation.folder.path + "/backups"
            let name = "focusd-\(try installation.key().hexadecimal.prefix(8))-2025-11-01T18-00-00Z.backup"
            mkdir(backups, 0o700)
            try BackupFile(path: "\(backups)/\(name)").write(installation.folder)
            chmod("\(backups)/\(name)", 0o644)
            // Because of the sticky bit, only the owner may delete files in this folder.
            chmod(backups, 0o1777)
            let user: uid_t = 12_345
            let made = try FileManager.default.contentsOfDirectory(atPath: installation.folder.path)
            for file in made where file != "backups" {
                chown("\(installation.folder.path)/\(file)", user, user)
            }
            chown(installation.folder.path, user, user)
            seteuid(user)
            try await ServingLogTests().serve(
                installation.folder, until: ["backup-made", "backup-not-deleted"]
            ) {
                $0.backups.folder = backups
                $0.backups.keep = 1
            }
            seteuid(0)
            #expect(access("\(backups)/\(name)", F_OK) == 0)
        }
    }

    @Test("that it isn't sure of its clock, and is again once an operator says so")
    func clock() async throws {
        let installation = try Installation()
        let now = ServerClock.wall()
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        try store.write { try $0.raiseGreatestServed(to: now + .seconds(86_400), acceptances: nil) }
        try await serve(
            installation.folder, until: ["clock-not-sure", "clock-accepted", "clock-sure"],
            doing: {
                try store.write { try $0.acceptClock(now: now) }
            })
    }

    @Test("that its key can't be read")
    func key() async throws {
        let installation = try Installation()
        try await serve(
            installation.folder, until: ["key-unreadable"],
            doing: {
                try "no key".write(toFile: installation.folder.identity, atomically: false, encoding: .utf8)
                try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
                    .write { try $0.raiseRevision() }
            })
    }
}
