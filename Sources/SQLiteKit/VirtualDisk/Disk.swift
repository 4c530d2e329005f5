import Glibc

/// Where a connection's files are.
package enum Disk {
    /// The machine's file system.
    case machine
    /// A disk in memory, for simulations and tests.
    case virtual(VirtualDisk)

    /// The name of SQLite's file system for it; nil for the one that SQLite takes by itself.
    var fileSystem: String? {
        switch self {
        case .machine: nil
        case .virtual(let disk): disk.name
        }
    }

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
            if mkdir(path, 0o700) == 0 { return true }
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
}
