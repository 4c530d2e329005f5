import FocusCore
import FocusNet
import FocusSeal
import FocusServerCore
import FocusServerStore
import SQLiteKit
import Synchronization
import SystemKit

/// Makes the automatic backups of a running server. It has a thread of its own, because a backup may take
/// long.
final class BackupKeeper: Sendable {
    /// The result of an attempt to make a backup.
    struct Outcome: Sendable {
        /// The instant of the backup.
        let time: SharedInstant
        /// The path of the backup, or the error that prevented it.
        let result: Result<String, any Error>
        /// The paths of older backups that were due for deletion and couldn't be deleted.
        let left: [String]
    }

    let archive: BackupArchive
    private let folder: DataFolder
    /// The number of backups to keep.
    private let count: Int
    private let log: Log
    private let loop: EventLoop
    /// Whether a backup is under way.
    private let isWorking = Mutex(false)

    /// Creates the keeper, with its thread.
    ///
    /// - Parameters:
    ///   - settings: The settings of the automatic backups.
    ///   - path: The folder for the backups.
    ///   - folder: The data folder that is backed up.
    ///   - key: The hash of the server's key, in hexadecimal digits.
    ///   - log: Describes errors in words.
    /// - Throws: `NetError` if the thread's event loop can't be created.
    init(
        _ settings: BackupSettings, to path: String, of folder: DataFolder, key: String, log: Log
    ) throws(NetError) {
        archive = BackupArchive(path, key: key)
        self.folder = folder
        count = settings.keep
        self.log = log
        loop = try EventLoop()
    }

    /// The instant of the newest backup in the folder; nil if there is none.
    var last: SharedInstant? { archive.list().first?.time }

    /// Makes a backup on the keeper's thread, and then calls `done` there.
    func begin(at time: SharedInstant, done: @escaping @Sendable (Outcome) -> Void) {
        isWorking.withLock { $0 = true }
        loop.run { [self] in
            done(make(at: time))
            isWorking.withLock { $0 = false }
        }
    }

    /// Ends the thread. Doesn't wait for a backup that is under way: the process ends, and the next backup
    /// deletes the incomplete file.
    func stop() {
        loop.stop()
        if !isWorking.withLock(\.self) { loop.wait() }
    }

    /// Makes a complete and checked backup, or none. Deletes older backups only afterwards.
    func make(at time: SharedInstant) -> Outcome {
        let path = archive.file(at: time)
        do {
            try archive.create()
            archive.removeParts()
            try BackupKeeper.requireRoom(
                in: archive.folder, for: StoreFileCheck(folder.store).measure().bytes,
                free: StoreFileCheck(archive.folder).measure().free)
            try BackupFile(path: path).write(folder, isChecked: true)
            let left = archive.prune(keeping: count, path)
            record { try $0.noteBackup(path, at: time) }
            return Outcome(time: time, result: .success(path), left: left)
        } catch {
            record { try $0.noteBackup(problem: log.sentence(on: error)) }
            return Outcome(time: time, result: .failure(error), left: [])
        }
    }

    /// Records the result for `focusd status`. Ignores errors: a store that can't be written is reported
    /// elsewhere.
    private func record(_ body: (any ServerTransaction) throws -> Void) {
        guard let store = try? folder.openStore(.writing) else { return }
        try? store.write(body)
    }

    /// Throws unless the disk has room for a backup, so that the backup doesn't fill the disk that the store
    /// needs.
    ///
    /// - Parameters:
    ///   - needed: The size of the store, in bytes.
    ///   - free: The free space on the disk of `folder`, in bytes.
    /// - Throws: `BackupFailure.noRoom` if less than `reserve` would stay free.
    static func requireRoom(in folder: String, for needed: Int64, free: Int64) throws(BackupFailure) {
        guard free > needed + reserve else { throw .noRoom(in: folder, needed: needed, free: free) }
    }

    /// The space that must stay free: 64 MiB, in bytes.
    private static let reserve: Int64 = 64 << 20
}

/// The schedule of the automatic backups.
struct BackupSchedule: Hashable, Sendable {
    private let interval: Duration
    /// The time at which the next backup is due.
    private var next: SteadyInstant
    /// The start of the backup that is under way; nil if there is none.
    private(set) var began: SteadyInstant?

    /// The time from a failed backup to the next attempt, unless the interval is shorter.
    private static let retry = Duration.seconds(300)

    /// Creates the schedule.
    ///
    /// - Parameters:
    ///   - interval: The interval between two backups.
    ///   - age: The age of the last backup by the wall clock; nil if there is none. A negative age is
    ///     ignored.
    init(every interval: Duration, age: Duration?, at now: SteadyInstant) {
        self.interval = interval
        let isSensible = age.map { (.zero..<interval).contains($0) } ?? false
        next = now + (isSensible ? interval - (age ?? .zero) : .zero)
    }

    /// Begins a backup if it is due. After true, the caller has to call `ended`.
    ///
    /// - Returns: Whether a backup has to be made now.
    mutating func begins(at now: SteadyInstant) -> Bool {
        guard began == nil, now >= next else { return false }
        began = now
        return true
    }

    /// Records the end of a backup and schedules the next one.
    mutating func ended(isMade: Bool, at now: SteadyInstant) {
        let wait = isMade ? interval : min(interval, BackupSchedule.retry)
        // The interval counts from begin to begin, so that the durations of backups don't add up over the
        // days.
        next = max(now, isMade ? (began ?? now) + wait : now + wait)
        began = nil
    }
}

/// The state of the automatic backups.
struct BackupState: Hashable, Sendable {
    /// The interval between two backups.
    let interval: Duration
    /// The instant of the last backup; nil if there is none.
    var last: SharedInstant?
    /// The number of failed backups since the server started.
    var failures: UInt64 = 0
}
