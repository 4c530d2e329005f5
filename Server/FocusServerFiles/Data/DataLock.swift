import FocusNet
import SystemKit

/// Held by the process that serves from a data folder; let go when it ends, however it ends.
package struct DataLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: `FolderFailure.isServed` where another process has it; `FileFailure`.
    package init(_ folder: DataFolder) throws {
        let opened = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw FileFailure(.open, folder.lock) }
        // A command that root runs may be the first to make it, and the service has to open it after that.
        folder.takeOver(folder.lock)
        // The first one is for a focusd that knows no other: it may still serve as this one is installed.
        guard flock(opened, LOCK_EX | LOCK_NB) == 0, FileLock.acquire(opened) else {
            close(opened)
            throw FolderFailure.isServed(folder)
        }
        // Not before: where this throws after that, `deinit` closes it, too, and by then it may be somebody else's.
        descriptor = opened
    }

    deinit {
        // A process that is being started at this moment has a copy of the descriptor, and would keep the locks.
        FileLock.release(descriptor)
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Says something of the server that has the lock to other commands, as far as there is room for it.
    package static func note(_ notes: RunningNotes, _ folder: DataFolder) {
        let descriptor = open(folder.lock, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        ftruncate(descriptor, 0)
        let bytes = Array(notes.text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    /// What the server that has the lock says of itself; nil where none runs.
    package static func notes(_ folder: DataFolder) -> RunningNotes? {
        guard isHeld(folder) else { return nil }
        let descriptor = open(folder.lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return RunningNotes() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return RunningNotes(text: String(decoding: bytes[..<max(0, count)], as: UTF8.self))
    }

    /// Lets another process have it.
    consuming func letGo() {}

    /// Whether some process has the lock.
    package static func isHeld(_ folder: DataFolder) -> Bool {
        let descriptor = open(folder.lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return FileLock.isHeld(descriptor)
    }
}

/// What a server that runs says of itself to other commands, in the file of its lock: a line each, empty where there is
/// nothing to say.
package struct RunningNotes: Hashable, Sendable {
    /// Where it serves metrics and health.
    package var metrics: String?
    /// What is wrong with its clock, as in `ClockVerdict.trouble`.
    package var clockTrouble: String?

    /// The file's text.
    var text: String { "\(metrics ?? "")\n\(clockTrouble ?? "")\n" }

    /// Nothing to say.
    package init() {}

    /// Reads the file's text; what isn't there wasn't said.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        metrics = lines.first.flatMap { $0.isEmpty ? nil : $0 }
        clockTrouble = lines.dropFirst().first.flatMap { $0.isEmpty ? nil : $0 }
    }
}
