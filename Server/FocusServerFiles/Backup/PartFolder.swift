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
        var name = Array("\(target)\(PartFolder.ending)XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
            throw SystemError("A folder for \(target) can't be made beside it")
        }
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { PartFolder.remove(path) }

    /// Where the file is while it is made.
    var file: String { "\(path)/\(PartFolder.file)" }

    private static let ending = ".part-"
    private static let file = "store"

    /// Removes the folders that are left of a file whose making was broken off.
    static func removeLeft(of target: String) {
        let slash = target.lastIndex(of: "/")
        let parent = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        let beginning = slash.map { String(target[target.index(after: $0)...]) } ?? target
        for name in names(in: parent) where name.hasPrefix(beginning + ending) { remove("\(parent)/\(name)") }
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

    /// The names in a folder; none where it can't be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }
}
