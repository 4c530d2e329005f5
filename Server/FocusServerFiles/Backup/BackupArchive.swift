package import FocusCore
import FocusServerStore
import FocusText
import SQLiteKit
package import SystemKit

/// The folder that a server makes its backups in by itself. Others may keep theirs in it too: a server's are known by
/// their names, which begin with its key's hash, and by what the files are.
package struct BackupArchive: Hashable, Sendable {
    /// Its path.
    package let folder: String
    /// What the names of this server's backups begin with.
    private let prefix: String

    private static let suffix = ".backup"

    /// The folder of a server's backups, which may not be there yet.
    ///
    /// - Parameters:
    ///   - folder: its path.
    ///   - key: the hash of the server's key, in hexadecimal digits.
    package init(_ folder: String, key: String) {
        self.folder = folder
        prefix = "focusd-\(key.prefix(8))-"
    }

    /// The file of a backup that is made at an instant:
    /// `focusd-5e0c2b71-2025-11-20T18-00-00Z.backup`.
    package func file(at time: SharedInstant) -> String {
        let second = InstantText.text(time).prefix(19).map { $0 == ":" ? "-" : $0 }
        return "\(folder)/\(prefix)\(String(second))Z\(BackupArchive.suffix)"
    }

    /// When the backup of this name was made, to the second; nil where it isn't one of this server's.
    private func time(of name: String) -> SharedInstant? {
        guard name.hasPrefix(prefix), name.hasSuffix(BackupArchive.suffix) else { return nil }
        let text = name.dropFirst(prefix.count).dropLast(BackupArchive.suffix.count)
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let clock = String(parts[1].map { $0 == "-" ? ":" : $0 })
        // Only what it would be called itself.
        let time = InstantText.parse("\(parts[0])T\(clock)")
        guard let time, file(at: time) == "\(folder)/\(name)" else { return nil }
        return time
    }

    /// A backup in the folder.
    package struct Kept: Hashable, Sendable {
        /// Where it is.
        let path: String
        /// When it was made.
        package let time: SharedInstant
    }

    /// This server's backups, the newest first; none where the folder can't be read.
    package func list() -> [Kept] {
        names.compactMap { name in
            guard let time = time(of: name) else { return nil }
            let path = "\(folder)/\(name)"
            return BackupArchive.isBackup(path) ? Kept(path: path, time: time) : nil
        }
        .sorted { $0.time > $1.time }
    }

    /// Deletes this server's oldest backups.
    ///
    /// - Parameters:
    ///   - count: how many stay, 1 or more; `newest`, which is whole, is one of them whatever its name says.
    /// - Returns: what could not be deleted.
    package func prune(keeping count: Int, _ newest: String) -> [String] {
        list().filter { $0.path != newest }.dropFirst(max(0, count - 1)).map(\.path).filter {
            unlink($0) != 0
        }
    }

    /// Deletes what is left of this server's backups that were broken off.
    package func removeParts() {
        for name in names where name.hasPrefix(prefix) && name.contains("\(BackupArchive.suffix).part") {
            PartFolder.remove("\(folder)/\(name)")
        }
    }

    /// Makes the folder, for its owner alone, where the one above it is there: a disk that isn't mounted is no place
    /// for backups.
    package func create() throws(SystemError) {
        guard NewFile.makeFolder(folder) != 0, errno != EEXIST else { return }
        throw SystemError("\(folder), the folder for backups, can't be made")
    }

    private var names: [String] { SystemKit.names(inFolder: folder) }

    /// Whether the file is a database of focusd's, and no link (<https://sqlite.org/fileformat.html#the_database_header>).
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
