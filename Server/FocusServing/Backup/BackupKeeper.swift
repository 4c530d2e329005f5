import FocusCore
import FocusNet
import FocusSeal
import FocusServerFiles
import FocusServerStore
import FocusWriter
import SQLiteKit
import Synchronization
import SystemKit

/// Makes the backups that a running server makes by itself, on a thread of its own: they take as long as they take.
final class BackupKeeper: Sendable {
    /// What came of one.
    struct Outcome: Sendable {
        /// When that was.
        let time: SharedInstant
        /// Where it is, or why there is none.
        let result: Result<String, any Error>
        /// Older backups that should have gone and couldn't.
        let left: [String]
    }

    let archive: BackupArchive
    private let folder: DataFolder
    private let count: Int
    private let log: Log
    private let loop: EventLoop
    private let isWorking = Mutex(false)

    /// - Parameters:
    ///   - settings: that say where to.
    ///   - key: the server's.
    ///   - log: has the words for what goes wrong.
    init(
        _ settings: BackupSettings, to path: String, of folder: DataFolder, key: String, log: Log
    ) throws(NetError) {
        archive = BackupArchive(path, key: key)
        self.folder = folder
        count = settings.keep
        self.log = log
        loop = try EventLoop()
    }

    /// The last one in the folder.
    var last: SharedInstant? { archive.list().first?.time }

    /// Makes one, and says on the keeper's thread what came of it.
    func begin(at time: SharedInstant, done: @escaping @Sendable (Outcome) -> Void) {
        isWorking.withLock { $0 = true }
        loop.run { [self] in
            done(make(at: time))
            isWorking.withLock { $0 = false }
        }
    }

    /// Ends the thread. A backup that is under way isn't waited for: the process ends, and what there is of it goes
    /// before the next one.
    func stop() {
        loop.stop()
        if !isWorking.withLock(\.self) { loop.wait() }
    }

    /// Makes one: whole and checked, or none. Only then older ones go.
    func make(at time: SharedInstant) -> Outcome {
        let path = archive.file(at: time)
        do {
            try archive.create()
            archive.removeParts()
            try BackupKeeper.requireRoom(
                in: archive.folder, for: StoreWatch(folder.store).measure().bytes,
                free: StoreWatch(archive.folder).measure().free)
            try BackupFile(path: path).write(folder, isChecked: true)
            let left = archive.prune(keeping: count, path)
            record { try $0.noteBackup(path, at: time) }
            return Outcome(time: time, result: .success(path), left: left)
        } catch {
            record { try $0.noteBackup(problem: log.sentence(on: error)) }
            return Outcome(time: time, result: .failure(error), left: [])
        }
    }

    /// For `focusd status`. Where the store can't be written, there are other things to be told of.
    private func record(_ body: (any ServerTransaction) throws -> Void) {
        guard let store = try? folder.openStore(.writing) else { return }
        try? store.write(body)
    }

    /// A backup must not be what fills the disk that the store needs. All in bytes.
    static func requireRoom(in folder: String, for needed: Int64, free: Int64) throws(BackupFailure) {
        guard free > needed + reserve else { throw .noRoom(in: folder, needed: needed, free: free) }
    }

    /// So much stays free, in bytes: 64 MiB.
    private static let reserve: Int64 = 64 << 20
}

/// When the server makes its next backup by itself.
struct BackupSchedule: Hashable, Sendable {
    private let interval: Duration
    private var next: SteadyInstant
    private(set) var began: SteadyInstant?

    /// A backup that could not be made is tried again so soon, or after the interval where that is shorter.
    private static let retry = Duration.seconds(300)

    /// - Parameters:
    ///   - interval: from one backup to the next.
    ///   - age: how old the last backup is by the wall clock; nil where there is none. One that is
    ///     from the future says nothing.
    init(every interval: Duration, age: Duration?, at now: SteadyInstant) {
        self.interval = interval
        let isSensible = age.map { (.zero..<interval).contains($0) } ?? false
        next = now + (isSensible ? interval - (age ?? .zero) : .zero)
    }

    /// Whether to make one now; `ended` has to follow then.
    mutating func begins(at now: SteadyInstant) -> Bool {
        guard began == nil, now >= next else { return false }
        began = now
        return true
    }

    /// It was made, or could not be.
    mutating func ended(isMade: Bool, at now: SteadyInstant) {
        let wait = isMade ? interval : min(interval, BackupSchedule.retry)
        // The time that it took doesn't add up over the days.
        next = max(now, isMade ? (began ?? now) + wait : now + wait)
        began = nil
    }
}

/// How the server's own backups stand.
struct BackupState: Hashable, Sendable {
    /// From one to the next.
    let interval: Duration
    /// When the last one was made; nil where there was none.
    var last: SharedInstant?
    /// How many could not be made since the server began.
    var failures: UInt64 = 0
}
