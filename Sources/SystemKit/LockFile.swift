/// A file that one process at a time has the lock of, and that says something of who has it: where an agent listens, what
/// is wrong with a server. What an unlocked file says counts for nothing.
///
/// The lock is let go when this is, and when the process ends, however it ends.
package final class LockFile: Sendable {
    /// How it is opened to look. Here as elsewhere no link is followed: who can put one there must not choose what is
    /// locked or written.
    private static let looking = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW

    private let path: String
    private let descriptor: Int32
    private let file: FileIdentity?

    /// Takes the lock; nil where another process has it.
    ///
    /// - Parameter path: the file, which is made if it is missing, for the user of its folder only; no link.
    /// - Throws: `SystemError` if it can't be opened, or its file system has no locks.
    package init?(path: String) throws(SystemError) {
        let descriptor = NewFile.open(path, O_RDWR | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemError("\(path) can't be opened") }
        guard FileLock.acquire(descriptor) else {
            let code = errno
            // Not later: `deinit` would close it, too, and by then it may be somebody else's.
            close(descriptor)
            if code == EAGAIN || code == EACCES { return nil }
            throw SystemError("\(path) can't be locked", code: code)
        }
        self.path = path
        self.descriptor = descriptor
        file = FileIdentity(descriptor: descriptor)
    }

    deinit {
        // A process that is being started at this moment has a copy of the descriptor, and would keep the lock.
        FileLock.release(descriptor)
        close(descriptor)
    }

    /// Whether the file is still the one that was locked: another process would lock another one.
    package var isInPlace: Bool { file != nil && FileIdentity(path: path) == file }

    /// Gives the file the mode that it has where it is made: for this user alone.
    package func restrict() { fchmod(descriptor, 0o600) }

    /// Has the file hold this text, or nothing where the disk has no room for it.
    package func write(_ text: String) { LockFile.write(text, to: descriptor) }

    /// The same for the lock at `path`, for who knows that this process has it. Nothing is done where there is none.
    package static func write(_ text: String, to path: String) {
        guard let file = OwnedDescriptor(open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)) else { return }
        write(text, to: file.number)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        let isWritten = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        ftruncate(descriptor, isWritten ? off_t(bytes.count) : 0)
    }

    /// What the file at `path` says of who has its lock; nil where nobody has. Looking takes no lock, so it is in nobody's
    /// way.
    ///
    /// - Parameter limit: the longest text, in bytes; what is beyond isn't read.
    package static func text(at path: String, limit: Int) -> [UInt8]? {
        guard let file = OwnedDescriptor(open(path, looking)),
            FileLock.isHeld(file.number)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(file.number, &bytes, bytes.count, 0)
        return Array(bytes[..<max(0, count)])
    }

    /// Whether some process has the lock of the file at `path`.
    package static func isHeld(_ path: String) -> Bool { text(at: path, limit: 0) != nil }
}

/// Locks of whole files that belong to an open descriptor, as those of flock(2) do, and that can be asked about without
/// taking one: so who looks is never in the way of who wants it ("open file description locks" in fcntl(2)).
private enum FileLock {
    /// Takes the lock for a descriptor; false, with `errno` set, where another has it or the disk has no locks.
    static func acquire(_ descriptor: Int32) -> Bool {
        var request = request(F_WRLCK)
        return fcntl(descriptor, SystemNumber.setFileLock, &request) == 0
    }

    /// Lets go of the lock, also where a process that is being started has a copy of the descriptor.
    static func release(_ descriptor: Int32) {
        var request = request(F_UNLCK)
        _ = fcntl(descriptor, SystemNumber.setFileLock, &request)
    }

    /// Whether somebody has the lock of a file by another descriptor than this one.
    static func isHeld(_ descriptor: Int32) -> Bool {
        var request = request(F_RDLCK)
        return fcntl(descriptor, SystemNumber.getFileLock, &request) == 0
            && request.l_type != Int16(F_UNLCK)
    }

    /// A request for the whole file.
    private static func request(_ type: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(type)
        request.l_whence = Int16(SEEK_SET)
        return request
    }
}
