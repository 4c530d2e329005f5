package import FocusCore
import FocusText
import SQLiteKit
package import SystemKit

/// The folder of a server's automatic backups. It may contain other servers' backups too. A server recognises
/// its own backups by their names, which contain the beginning of its key's hash, and by the files' content.
package struct BackupArchive: Hashable, Sendable {
    /// The path of the folder.
    package let folder: String
    /// The prefix of the names of this server's backups.
    private let prefix: String

    private static let suffix = ".backup"

    /// The folder of a server's backups, which may not exist yet.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - key: The hash of the server's key, in hexadecimal digits.
    package init(_ folder: String, key: String) {
        self.folder = folder
        prefix = "focusd-\(key.prefix(8))-"
    }

    /// Returns the path for a backup made at `time`, such as `focusd-5e0c2b71-2025-11-20T18-00-00Z.backup` in
    /// the folder.
    package func file(at time: SharedInstant) -> String {
        let second = InstantText.text(time).prefix(19).map { $0 == ":" ? "-" : $0 }
        return "\(folder)/\(prefix)\(String(second))Z\(BackupArchive.suffix)"
    }

    /// Returns the time of the backup with this name, to the second, or nil if it isn't one of this server's.
    private func time(of name: String) -> SharedInstant? {
        guard name.hasPrefix(prefix), name.hasSuffix(BackupArchive.suffix) else { return nil }
        let text = name.dropFirst(prefix.count).dropLast(BackupArchive.suffix.count)
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let clock = String(parts[1].map { $0 == "-" ? ":" : $0 })
        // Only the exact name that `file(at:)` returns counts.
        let time = InstantText.parse("\(parts[0])T\(clock)")
        guard let time, file(at: time) == "\(folder)/\(name)" else { return nil }
        return time
    }

    /// A backup in the folder.
    package struct Backup: Hashable, Sendable {
        /// The path of the backup.
        let path: String
        /// The time at which it was made, to the second.
        package let time: SharedInstant
    }

    /// Returns this server's backups, the newest first; none if the folder can't be read.
    package func list() -> [Backup] {
        names.compactMap { name in
            guard let time = time(of: name) else { return nil }
            let path = "\(folder)/\(name)"
            return BackupArchive.isBackup(path) ? Backup(path: path, time: time) : nil
        }
        .sorted { $0.time > $1.time }
    }

    /// Deletes this server's oldest backups.
    ///
    /// - Parameters:
    ///   - count: The number of backups that stay, 1 or more. `newest` is always one of them.
    ///   - newest: The path of a complete backup. It stays even if its name has an earlier time than others.
    /// - Returns: The paths of the files that could not be deleted.
    package func prune(keeping count: Int, _ newest: String) -> [String] {
        list().filter { $0.path != newest }.dropFirst(max(0, count - 1)).map(\.path).filter {
            unlink($0) != 0
        }
    }

    /// Deletes the remains of this server's interrupted backups.
    package func removeParts() {
        for name in names where name.hasPrefix(prefix) && name.contains("\(BackupArchive.suffix).part") {
            PartFolder.remove("\(folder)/\(name)")
        }
    }

    /// Makes the folder, accessible only to its owner. The parent folder must exist. If it doesn't, a disk
    /// may not be mounted, and backups must not go to another disk.
    ///
    /// - Throws: `SystemError` if the folder can't be made, also if a file is in its place.
    package func create() throws(SystemError) {
        guard NewFile.makeFolder(folder) != 0 else { return }
        var (code, status) = (errno, stat())
        if code == EEXIST, stat(folder, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFDIR else { return }
            code = ENOTDIR
        }
        throw SystemError("\(folder), the folder for backups, can't be made", code: code)
    }

    private var names: [String] { SystemKit.names(inFolder: folder) }

    /// Whether the file is a server's database, and not a symbolic link
    /// (<https://sqlite.org/fileformat.html#the_database_header>).
    private static func isBackup(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var owner = [UInt8](repeating: 0, count: 4)
        guard pread(descriptor, &owner, 4, 68) == 4 else { return false }
        return owner.reduce(0) { $0 << 8 | Int32($1) } == Schema.server.applicationID
    }
}
