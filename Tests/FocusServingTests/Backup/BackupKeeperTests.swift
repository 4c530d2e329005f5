import CommandLineKit
import Dispatch
import FocusCore
import FocusNet
import FocusSync
import Foundation
import Glibc
import SQLiteKit
import ServerSupport
import SystemKit
import TestSupport
import TestTraits
import Testing

@testable import FocusServer
@testable import FocusServerCore
@testable import FocusServerStore
@testable import FocusServing

@Suite("Backups that the server makes by itself")
struct BackupKeeperTests {
    private let installation: Installation
    private let copies: TemporaryFolder
    /// 2025-11-20T18:00:00Z.
    private let start = SharedInstant(milliseconds: 1_763_661_600_000)
    private let day = Duration.seconds(86_400)

    init() throws {
        installation = try Installation()
        copies = try TemporaryFolder()
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        let number = try store.write { try $0.addGroup(ServerFixture.group, now: 1) }
        try store.write { try $0.putDevice(digest(0x10), inGroup: number, now: 1) }
    }

    private var folder: String { copies.data.path + "/backups" }

    private func keeper(keeping count: Int = 3) throws -> BackupKeeper {
        var settings = BackupSettings()
        settings.keep = count
        return try BackupKeeper(
            settings, to: folder, of: installation.folder, key: installation.key().hexadecimal,
            log: .silent)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    private func name(_ time: String) throws -> String {
        "focusd-\(try installation.key().hexadecimal.prefix(8))-\(time).backup"
    }

    private func status() async -> String {
        await CommandOutcome(["status", "--data", installation.folder.path]).data
    }

    @Test("each is named by its time, readable only by the server's user, whole, and can be restored")
    func whole() async throws {
        let keeper = try keeper()
        defer { keeper.stop() }
        let path = try keeper.make(at: start).result.get()
        #expect(try names == [name("2025-11-20T18-00-00Z")])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(await CommandOutcome(["verify", path]).status == .done)
        let other = copies.data.path + "/other"
        #expect(await CommandOutcome(["restore", path, "--data", other]).status == .done)
        #expect(await CommandOutcome(["groups", "--data", other]).data.contains("devices 1 "))
        #expect(
            await self.status().contains("Last automatic backup: Thu 20 Nov 2025, 18:00 UTC, in \(path).\n"))
        #expect(keeper.last == start)
    }

    @Test("the newest ones stay up to the limit, and only this server's own are deleted")
    func retention() throws {
        let keeper = try keeper(keeping: 2)
        defer { keeper.stop() }
        let first = try keeper.make(at: start).result.get()
        let others = [
            "focusd-00000000-2025-11-01T18-00-00Z.backup", try name("2025-11-01"), "notes.txt",
            try name("2025-11-01T18-00-00Z"), try name("2025-11-02T18-00-00Z"),
            "by-hand", try name("2025-11-03T18-00-00Z") + ".gz",
        ]
        // Another server's backup, and one made by hand, must stay. The fourth and fifth file have names like
        // this server's backups; one is no backup, and the other is a link to one.
        for other in others.prefix(3) + others.suffix(2) {
            try FileManager.default.copyItem(atPath: first, toPath: "\(folder)/\(other)")
        }
        try Data("not a backup".utf8).write(to: URL(filePath: "\(folder)/\(others[3])"))
        symlink(first, "\(folder)/\(others[4])")
        for days in 1...4 {
            let outcome = keeper.make(at: start + day * days)
            #expect(outcome.left.isEmpty)
            _ = try outcome.result.get()
        }
        let own = [try name("2025-11-23T18-00-00Z"), try name("2025-11-24T18-00-00Z")]
        #expect(try names == (others + own).sorted())
    }

    @Test("the one that was just made stays, even if the clock is behind")
    func clockBehind() throws {
        let keeper = try keeper(keeping: 1)
        defer { keeper.stop() }
        _ = try keeper.make(at: start).result.get()
        let path = try keeper.make(at: start - day * 400).result.get()
        #expect(try names == [String(path.dropFirst(folder.count + 1))])
    }

    @Test(
        "one that fails, or is of a damaged store, is reported, leaves nothing behind, and deletes no other")
    func failing() async throws {
        let keeper = try keeper(keeping: 1)
        defer { keeper.stop() }
        let good = try keeper.make(at: start).result.get()
        // Without the server's key a backup would be useless, so this one fails.
        let identity = installation.folder.identity
        _ = rename(identity, identity + ".away")
        let failed = keeper.make(at: start + day)
        #expect(throws: FolderFailure.noKey(installation.folder)) { try failed.result.get() }
        _ = rename(identity + ".away", identity)
        #expect(try names == [String(good.dropFirst(folder.count + 1))])
        let said = await status()
        #expect(said.contains("Last automatic backup: Thu 20 Nov 2025, 18:00 UTC, in \(good).\n"))
        #expect(said.contains("Its last backup failed: "))
        _ = try keeper.make(at: start + day * 2).result.get()
        #expect(await !status().contains("failed"))
        // A damaged store is no backup.
        let last = try names
        try installation.execute("PRAGMA foreign_keys=OFF; DELETE FROM groups")
        #expect {
            try keeper.make(at: start + day * 3).result.get()
        } throws: {
            CommandFailure.about($0).message.contains("The store is damaged")
        }
        #expect(try names == last)
    }

    @Test("one that would take the last 64 MiB of the disk is refused, and reported")
    func room() throws {
        let (needed, reserve) = (Int64(5_000), Int64(64 << 20))
        let refusal = BackupFailure.noRoom(in: folder, needed: needed, free: needed + reserve)
        #expect(throws: refusal) {
            try BackupKeeper.requireRoom(in: folder, for: needed, free: needed + reserve)
        }
        #expect(throws: Never.self) {
            try BackupKeeper.requireRoom(in: folder, for: needed, free: needed + reserve + 1)
        }
        #expect(CommandFailure.about(refusal).message.contains(folder))
    }

    @Test("a file in the place of the folder is named as the reason")
    func noFolder() throws {
        let file = copies.data.path + "/file"
        try Data().write(to: URL(filePath: file))
        let keeper = try BackupKeeper(
            BackupSettings(), to: file, of: installation.folder, key: "12345678", log: .silent)
        defer { keeper.stop() }
        #expect(throws: SystemError("\(file), the folder for backups, can't be made", code: ENOTDIR)) {
            try keeper.make(at: start).result.get()
        }
    }

    @Test("remains of one that was killed are deleted before the next; a missing folder isn't created")
    func parts() throws {
        let keeper = try keeper()
        defer { keeper.stop() }
        _ = try keeper.make(at: start).result.get()
        for part in ["2025-11-19T18-00-00Z", "2025-11-18T18-00-00Z"] {
            let left = try URL(filePath: "\(folder)/\(name(part)).part-Xy3zQ9")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
            for file in ["store", "store-journal"] {
                try Data("half".utf8).write(to: left.appending(path: file))
            }
        }
        _ = try keeper.make(at: start + day).result.get()
        #expect(try names.count == 2)
        var settings = BackupSettings()
        settings.keep = 1
        let nowhere = try BackupKeeper(
            settings, to: copies.data.path + "/not/mounted", of: installation.folder, key: "12345678",
            log: .silent)
        defer { nowhere.stop() }
        #expect(throws: SystemError.self) { try nowhere.make(at: start).result.get() }
    }

    @Test("a server makes one when it starts, and the next start counts from it")
    func serving() async throws {
        var settings = ServerSettings()
        settings.listen = .init("127.0.0.1:0")
        settings.metrics = .nowhere
        settings.backups.folder = folder
        var last: SharedInstant?
        for isFirst in [true, false] {
            let book = LogRecorder()
            let running = try await RunningServer(
                installation.folder, RunningServer.Options(settings: settings), log: book.log)
            try await running.server.waitForBackups()
            let state = await running.server.state?.backup
            await running.server.stop()
            await running.waitUntilStopped()
            #expect(state?.last != nil && state?.last == last ?? state?.last)
            last = state?.last
            #expect(state?.failures == 0 && state?.interval == day)
            #expect(try names.count == 1)
            let name = try #require(names.first)
            #expect(book.values(of: "backup-made") == (isFirst ? [.text("\(folder)/\(name)")] : []))
        }
    }

    @Test("a server counts the backups that it could not make") func failures() async throws {
        var settings = ServerSettings()
        settings.listen = .init("127.0.0.1:0")
        settings.metrics = .nowhere
        settings.backups.folder = folder + "/not/mounted"
        let running = try await RunningServer(
            installation.folder, RunningServer.Options(settings: settings), log: .silent)
        try await running.server.waitForBackups()
        let state = await running.server.state?.backup
        await running.server.stop()
        await running.waitUntilStopped()
        #expect(state?.failures == 1 && state != nil && state?.last == nil)
    }

    @Test("the end doesn't wait for one that is under way", .ends(within: .seconds(120)))
    func stopping() throws {
        let keeper = try keeper()
        let isBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        keeper.begin(at: start) { _ in
            isBegun.signal()
            _ = mayEnd.wait(timeout: .now() + .seconds(60))
            isOver.signal()
        }
        isBegun.wait()
        keeper.stop()
        #expect(isOver.wait(timeout: .now()) == .timedOut)
        mayEnd.signal()
        isOver.wait()
    }

    private let second = Duration.seconds(1)
    private let hour = Duration.seconds(3_600)

    /// Expects that a backup begins at `now`, or that none does.
    private func expect(
        _ schedule: inout BackupSchedule, _ isBegun: Bool, at now: Duration,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let begins = schedule.begins(at: .after(now))
        #expect(begins == isBegun, sourceLocation: location)
    }

    @Test("the first backup is made at once, and each an interval after the one before began")
    func interval() {
        var schedule = BackupSchedule(every: hour, age: nil, at: .after(second * 5))
        expect(&schedule, true, at: second * 5)
        // Two backups never run at the same time.
        expect(&schedule, false, at: second * 5 + hour * 2)
        schedule.ended(isMade: true, at: .after(second * 65))
        expect(&schedule, false, at: second * 4 + hour)
        expect(&schedule, true, at: second * 5 + hour)
        // A backup that takes longer than the interval is followed by the next one at once.
        schedule.ended(isMade: true, at: .after(second * 5 + hour * 4))
        expect(&schedule, true, at: second * 5 + hour * 4)
    }

    @Test("a server that restarts counts from the last backup, unless that is from the future")
    func age() {
        var young = BackupSchedule(every: hour, age: hour - second, at: .zero)
        expect(&young, false, at: second - .microseconds(1))
        expect(&young, true, at: second)
        for age in [hour, hour * 9, .zero - second, .milliseconds(Int64.min)] {
            var schedule = BackupSchedule(every: hour, age: age, at: .zero)
            expect(&schedule, true, at: .zero)
        }
    }

    @Test("a backup that could not be made is tried again soon")
    func failing() {
        var schedule = BackupSchedule(every: hour, age: nil, at: .zero)
        expect(&schedule, true, at: .zero)
        schedule.ended(isMade: false, at: .after(second))
        expect(&schedule, false, at: second * 300)
        expect(&schedule, true, at: second * 301)
    }
}

extension Server {
    /// Returns once no backup is under way.
    fileprivate func waitForBackups() async throws {
        try await waitUntil("the backup is done") { serving?.backups?.schedule.began == nil }
    }
}
