import SystemKit

/// The names in a file's folder.
package struct FolderNames: Sendable {
    private let folder: String

    /// Those beside the file at `path`.
    package init(of path: String) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Has them survive a loss of power: a file that was made, renamed or removed there stays so.
    ///
    /// - Throws: `SealError.Code.file`, which names the folder.
    package func makeDurable() throws(SealError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure }
    }

    private var failure: SealError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "unknown error"
        return SealError(.file, "\(folder) can't be made durable: \(reason)")
    }
}
