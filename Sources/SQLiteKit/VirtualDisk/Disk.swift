import SystemKit

/// Where a connection's files are.
package enum Disk {
    /// The machine's file system.
    case machine
    /// A disk in memory, for simulations and tests.
    case virtual(VirtualDisk)

    /// Whether anything is at `path`, as far as can be seen: true where a folder on the way may not be searched.
    package func fileExists(path: String) -> Bool {
        switch self {
        case .machine: access(path, F_OK) == 0 || errno != ENOENT
        case .virtual(let disk): disk.fileExists(path: path)
        }
    }

    /// Makes a folder for this user alone; false where there is something of its name already. A virtual disk knows
    /// no folders: one is there where a file is in it.
    ///
    /// - Throws: `SQLiteError`, whose message is why it can't be made.
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

    /// Removes a folder, where it is empty.
    package func removeFolder(path: String) {
        if case .machine = self { rmdir(path) }
    }

    /// Lets nobody write a file from now on, and its owner alone read it.
    package func makeReadOnly(path: String) {
        if case .machine = self { chmod(path, 0o400) }
    }

    /// Removes a file, where there is one.
    func removeFile(path: String) {
        switch self {
        case .machine: unlink(path)
        case .virtual(let disk): if disk.fileExists(path: path), disk.change() { _ = disk.delete(path) }
        }
    }

    /// Gives a file another name, in place of whatever has that; durable when this returns.
    ///
    /// - Throws: `SQLiteError`, whose message is why it can't be done.
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

    /// What the last failed call left in `errno`.
    private static var failure: SQLiteError {
        let code: ResultCode = errno == ENOSPC || errno == EDQUOT ? .full : .inputOutput
        return SQLiteError(code: code, message: String(cString: strerror(errno)))
    }
}
