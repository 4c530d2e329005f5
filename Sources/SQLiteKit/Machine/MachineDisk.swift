import CSQLite
import Synchronization
import SystemKit

extension Disk {
    /// The machine's file system.
    package static var machine: Disk { Disk(MachineDisk()) }
}

/// The machine's file system.
private final class MachineDisk: DiskFiles {
    /// Held while a file is created or opened. Closing any descriptor of a file drops all of the process's
    /// POSIX locks on it (<https://sqlite.org/howtocorrupt.html> §2.2). So the descriptor that created the
    /// file must be closed before another thread can open a connection to it.
    private static let opening = Mutex<Void>(())

    let needsJournal = true

    func open(
        _ path: String, flags: Int32, mayCreate: Bool, connection: inout OpaquePointer?
    ) throws(SQLiteError) -> Int32 {
        try MachineDisk.opening.withLock { _ throws(SQLiteError) in
            if mayCreate { try createFile(path: path) }
            return SystemText.withBytes(path) { sqlite3_open_v2($0, &connection, flags, nil) }
        }
    }

    /// Creates an empty file of mode 0600, independent of the umask. An existing file stays as it is.
    ///
    /// - Parameter isNew: Whether an existing file is an error. A link counts as a file even if its target is
    ///   missing.
    /// - Throws: `SQLiteError`: `cannotOpen` if the file can't be created, or if it exists and `isNew` is
    ///   true.
    private func createFile(path: String, isNew: Bool = false) throws(SQLiteError) {
        let descriptor = NewFile.open(path, O_RDWR | O_EXCL | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                guard isNew else { return }
                throw SQLiteError(code: .cannotOpen, message: "\(path) exists already")
            }
            throw SQLiteError(code: .cannotOpen, message: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw SQLiteError(code: .cannotOpen, message: String(cString: strerror(errno)))
        }
    }

    func fileExists(path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

    func makeFolder(path: String) throws(SQLiteError) -> Bool {
        if NewFile.makeFolder(path) == 0 { return true }
        guard errno != EEXIST else { return false }
        throw failure(or: .cannotOpen)
    }

    func removeFolder(path: String) { rmdir(path) }

    func makeReadOnly(path: String) { chmod(path, 0o400) }

    func removeFile(path: String) { unlink(path) }

    func renameFile(_ path: String, to name: String) throws(SQLiteError) {
        guard rename(path, name) == 0 else { throw failure(or: .inputOutput) }
        try sync(PathParts.parent(of: name) ?? ".", O_RDONLY | O_DIRECTORY)
    }

    /// Creates the file, because SQLite would write through a link that somebody put there.
    func prepareCopy(path: String) throws(SQLiteError) { try createFile(path: path, isNew: true) }

    func syncCopy(path: String) throws(SQLiteError) { try sync(path, O_RDWR | O_NOFOLLOW) }

    private func sync(_ path: String, _ flags: Int32) throws(SQLiteError) {
        let descriptor = SystemKit.open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(or: .inputOutput) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(or: .inputOutput) }
    }

    func path(_ bytes: UnsafePointer<CChar>) -> String { SystemText.string(bytes) }

    func bytes(of path: String) -> [UInt8] { SystemText.bytes(path) }

    /// The error that `errno` describes; it has this code unless the disk is full.
    private func failure(or other: ResultCode) -> SQLiteError {
        let code = errno == ENOSPC || errno == EDQUOT ? .full : other
        return SQLiteError(code: code, message: String(cString: strerror(errno)))
    }
}
