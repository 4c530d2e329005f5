import SQLiteKit
import SystemKit

/// A folder in which a file is made that is to appear whole, beside its place: for this user alone, and under a name that
/// nobody knows beforehand. So nobody can have put a file or a link there that would receive what is written.
struct PartFolder: ~Copyable {
    private let path: String

    /// Makes one for a file that is to be at `target`.
    ///
    /// - Throws: where it can't be made.
    init(of target: String) throws(SystemError) {
        guard let name = strdup("\(target)\(PartFolder.ending)XXXXXX") else { throw SystemError("no memory") }
        defer { free(name) }
        guard mkdtemp(name) != nil else {
            throw SystemError("A folder for \(target) can't be made beside it")
        }
        path = SystemText.string(name)
    }

    deinit { PartFolder.remove(path) }

    /// Where the file is while it is made.
    var file: String { "\(path)/\(PartFolder.file)" }

    private static let ending = ".part-"
    private static let file = "store"

    /// Removes the folders that are left of a file whose making was broken off.
    static func removeLeft(of target: String) {
        let parent = PathParts.parent(of: target) ?? "."
        let beginning = PathParts.name(of: target)
        for name in SystemKit.names(inFolder: parent) where name.hasPrefix(beginning + ending) {
            remove("\(parent)/\(name)")
        }
    }

    /// Removes such a folder, where it is this user's; whatever else has its name stays, and what a link leads to.
    static func remove(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return }
        for name in Database.files(of: file) { unlinkat(descriptor, name, 0) }
        rmdir(path)
    }
}
