import SQLiteKit
import SystemKit

/// A private folder in which a file is made, before the complete file is moved to its path beside the folder.
/// The folder's name can't be predicted. So nobody can have put a file or a link there to receive the data.
struct PartFolder: ~Copyable {
    private let path: String

    /// Makes a folder for a file that will be at `target`.
    ///
    /// - Throws: `SystemError` if it can't be made.
    init(of target: String) throws(SystemError) {
        guard let name = strdup("\(target)\(PartFolder.ending)XXXXXX") else { throw SystemError("no memory") }
        defer { free(name) }
        guard mkdtemp(name) != nil else {
            throw SystemError("A folder for \(target) can't be made beside it")
        }
        path = SystemText.string(name)
    }

    deinit { PartFolder.remove(path) }

    /// The path of the file while it is made.
    var file: String { "\(path)/\(PartFolder.fileName)" }

    private static let ending = ".part-"
    private static let fileName = "store"

    /// Removes the folders that interrupted attempts to make a file at `target` have left.
    static func removeLeftovers(of target: String) {
        let parent = PathParts.parent(of: target) ?? "."
        let beginning = PathParts.name(of: target)
        for name in SystemKit.names(inFolder: parent) where name.hasPrefix(beginning + ending) {
            remove("\(parent)/\(name)")
        }
    }

    /// Removes a folder as `init` makes it, if it belongs to this user. Links aren't followed. If the folder
    /// contains other files, it stays with them.
    static func remove(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return }
        for name in Database.files(of: fileName) { unlinkat(descriptor, name, 0) }
        rmdir(path)
    }
}
