import CommandLineKit
import Glibc

/// Makes the names in a file's folder survive a loss of power.
func syncFolder(of path: String) throws(CommandFailure) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandFailure(errno: "\(folder) can't be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw CommandFailure(errno: "\(folder) can't be made durable") }
}
