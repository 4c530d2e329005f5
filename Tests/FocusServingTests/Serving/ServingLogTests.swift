import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import FocusWriter
import Foundation
import Glibc
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("What a server says of itself in its log", .ends(within: .seconds(300)))
struct ServingLogTests {
    @Test("who comes and who leaves, and who isn't let in for want of a handshake")
    func connections() throws {
        let board = try SwitchboardFixture()
        let line = try board.connect(1)
        board.switchboard.received(Message.bye.encoded(), on: line.id)
        board.switchboard.closed(line, nil)
        let stranger = board.line()
        #expect(board.switchboard.arrives(stranger))
        board.switchboard.closed(stranger, "no certificate")
        #expect(board.book.events == ["connected", "client-left", "disconnected", "handshake-failed"])
    }

    @Test("a device that a command or another server has added")
    func added() throws {
        let board = try SwitchboardFixture(devices: 1)
        let devices = try (1...2).map { SwitchboardFixture.device(try digest($0), ServerFixture.group) }
        for _ in 1...2 { board.switchboard.handle([.reloaded(devices, [ServerFixture.group])]) }
        #expect(board.book.events == ["device-added"])
    }

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

    @Test("that others' changes can't be read, once, and that others took it for gone")
    func news() throws {
        let address = try ServerFixture.makeDatabase()
        let sql = try PostgreSQLConnection(to: address)
        let book = LogRecorder()
        var notices: [NewsPoller.Notice] = []
        let poller = NewsPoller(
            try NewsReader(at: address, place: "here", now: .zero), clock: ServerClock(greatestServed: .zero),
            log: book.log, write: { _ in }, tell: { notices.append($0) })
        _ = poller.begin()
        _ = try sql.rows("ALTER TABLE news RENAME TO elsewhere")
        for _ in 1...3 { _ = poller.refresh() }
        _ = try sql.rows("ALTER TABLE elsewhere RENAME TO news")
        #expect(book.events == ["news-not-read"])
        _ = poller.refresh()
        _ = try sql.rows("DELETE FROM servers")
        for _ in 1...5 { _ = poller.refresh() }
        #expect(book.events == ["news-not-read", "was-gone"])
        #expect(notices == [.wasGone])
        poller.end()
    }

    @Test("what is repeated, at once, and then now and then")
    func often() {
        var throttle = LogThrottle(every: .seconds(60))
        let written = stride(from: Int64(1_000_000), to: 200_000_000, by: 100_000)
            .filter { throttle.isDue(at: SteadyInstant(microseconds: $0)) }
        #expect(written == [1_000_000, 61_000_000, 121_000_000, 181_000_000])
    }
}
