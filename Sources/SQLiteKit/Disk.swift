import SystemKit

/// The disk that has a connection's files.
package enum Disk {
    /// The machine's file system.
    case machine
    /// A disk in memory, for simulations and tests.
    case virtual(VirtualDisk)

    /// Whether anything exists at `path`. Also true if that can't be known because a folder on the way isn't
    /// searchable.
    package func fileExists(path: String) -> Bool {
        switch self {
        case .machine: access(path, F_OK) == 0 || errno != ENOENT
        case .virtual(let disk): disk.fileExists(path: path)
        }
    }

    /// Creates a folder that only this user can access; returns false if something has its name. A virtual
    /// disk has no folders: a folder exists if a file is in it.
    ///
    /// - Throws: `SQLiteError` with the reason as its message.
    package func makeFolder(path: String) throws(SQLiteError) -> Bool {
        switch self {
        case .machine:
            if NewFile.makeFolder(path) == 0 { return true }
            guard errno != EEXIST else { return false }
            let code: ResultCode = errno == ENOSPC || errno == EDQUOT ? .full : .cannotOpen
            throw SQLiteError(code: code, message: String(cString: strerror(errno)))
        case .virtual(let disk): return !disk.hasFiles(in: path)
        }
    }

    /// Removes a folder if it is empty.
    package func removeFolder(path: String) {
        if case .machine = self { rmdir(path) }
    }

    /// Makes a file read-only: only its owner can read it, and nobody can write it.
    package func makeReadOnly(path: String) {
        if case .machine = self { chmod(path, 0o400) }
    }

    /// Removes a file if it exists.
    func removeFile(path: String) {
        switch self {
        case .machine: unlink(path)
        case .virtual(let disk): if disk.fileExists(path: path), disk.countChange() { _ = disk.delete(path) }
        }
    }

    /// Renames a file, and replaces a file of the new name. The change is durable when this returns.
    ///
    /// - Throws: `SQLiteError` with the reason as its message.
    func renameFile(_ path: String, to name: String) throws(SQLiteError) {
        switch self {
        case .machine:
            guard rename(path, name) == 0 else { throw Disk.failure }
            let folder = PathParts.parent(of: name) ?? "."
            let descriptor = SystemKit.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Disk.failure }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw Disk.failure }
        case .virtual(let disk):
            guard disk.rename(path, to: name) else { throw SQLiteError(code: .inputOutput) }
        }
    }

    /// The error that `errno` describes.
    private static var failure: SQLiteError {
        let code: ResultCode = errno == ENOSPC || errno == EDQUOT ? .full : .inputOutput
        return SQLiteError(code: code, message: String(cString: strerror(errno)))
    }
}
