import CommandLineKit
import FocusContact
import FocusDevice
import SystemKit

/// The check that only the user can access the device's files, and that the disk has room.
struct FileCheck {
    private let home: Home
    /// The user to which the files should belong.
    private let user: uid_t

    init(_ home: Home, user: uid_t = geteuid()) {
        self.home = home
        self.user = user
    }

    /// A finding for each problem of a file or folder, or a single good one if there is no problem.
    var findings: [Finding] {
        var found: [Finding] = []
        for path in [home.data, home.runtime].uniqued { found += finding(path, mode: 0o700) }
        for path in files { found += finding(path, mode: 0o600) }
        if access(home.data, F_OK) == 0, access(home.data, W_OK) != 0 {
            let remedy =
                errno == EROFS
                ? "Its disk is read-only: mount it for writing, or set FOCUS_HOME to another folder."
                : "Make it writable: chmod u+w \(ShellWord.quoted(home.data))"
            found.append(.wrong(.files, "\(home.data) can't be written.", remedy: remedy))
        }
        return found.isEmpty ? [.fine(.files, "Nobody else can read \(home.data).")] : found
    }

    /// The finding about the free space of the disk.
    var disk: Finding {
        var state = statvfs()
        guard statvfs(home.data, &state) == 0 else {
            return .wrong(.disk, "\(SystemError("The disk with \(home.data) can't be examined")).")
        }
        let free = FreeSpace(
            bytes: UInt64(state.f_bavail).multipliedReportingOverflow(by: UInt64(state.f_frsize)).partialValue
        )
        return free.finding(home.data)
    }

    /// The files that only their user may access.
    private var files: [String] {
        let database = home.database
        return [
            database, "\(database)-wal", "\(database)-shm", home.identity, home.agentLog, home.agentLock,
        ] + home.agentSockets
    }

    /// Returns the problems of a file or folder; empty if it doesn't exist.
    private func finding(_ path: String, mode: mode_t) -> [Finding] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return [] }
            return [.wrong(.files, "\(SystemError("\(path) can't be examined")).")]
        }
        let name = ShellWord.quoted(path)
        var found: [Finding] = []
        if status.st_uid != user {
            found.append(
                .wrong(
                    .files, "\(path) belongs to another user, number \(status.st_uid).",
                    remedy: user == 0
                        ? "Run focus as that user, without sudo."
                        : "Give it to yourself: sudo chown \(user) \(name)"))
        }
        if status.st_mode & 0o077 != 0 {
            let given = String(status.st_mode & 0o777, radix: 8)
            found.append(
                .wrong(
                    .files, "Other users may use \(path): its mode is \(given).",
                    remedy: "Forbid that: chmod \(String(mode, radix: 8)) \(name)"))
        }
        return found
    }
}

/// The free space of a disk.
struct FreeSpace: Hashable {
    let bytes: UInt64

    /// With fewer bytes, a day's events and SQLite's temporary files may not fit.
    private static let criticalThreshold: UInt64 = 32 << 20
    /// With fewer bytes, the person is told to make room soon.
    private static let warningThreshold: UInt64 = 256 << 20

    func finding(_ path: String) -> Finding {
        let text = "The disk with \(path) has \(words) left."
        switch bytes {
        case ..<FreeSpace.criticalThreshold:
            return .wrong(
                .disk, text, remedy: "Make room on it: nothing can be saved on a full disk.")
        case ..<FreeSpace.warningThreshold: return .note(.disk, text, remedy: "Make room on it soon.")
        default: return .fine(.disk, text)
        }
    }

    /// The size in words: `512 MB`, `1.5 GB`.
    private var words: String {
        let megabytes = bytes / 1_000_000
        if megabytes < 1000 { return "\(megabytes) MB" }
        return "\(megabytes / 1000).\(megabytes % 1000 / 100) GB"
    }
}

extension Array where Element: Equatable {
    /// The elements without repetitions.
    fileprivate var uniqued: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
