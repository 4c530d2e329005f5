/// A file that one process at a time can lock. Its content is about the process that has the lock, such as an
/// agent's address or a server's problems. Without a lock the content means nothing.
///
/// The lock is released with this object, and when the process ends for any reason.
package final class LockFile: Sendable {
    /// The flags for opening the file to read it. No link is followed, here and elsewhere in this type: a
    /// user who can put a link there must not choose the file that is locked or written.
    private static let readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW

    private let path: String
    private let descriptor: Int32
    /// The identity of the locked file; nil if it can't be determined.
    private let file: FileIdentity?

    /// Takes the lock, and empties the file, because its content was about the last process that had the
    /// lock. Nil if another process has it.
    ///
    /// - Parameter path: The file, which must not be a link. If it is missing, it is made, accessible only to
    ///   the owner of its folder.
    /// - Throws: `SystemError` if it can't be opened or its file system has no locks.
    package init?(path: String) throws(SystemError) {
        let descriptor = NewFile.open(path, O_RDWR | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemError("\(path) can't be opened") }
        guard FileLock.acquire(descriptor) else {
            let code = errno
            // Closed before the properties are set. After that, `deinit` would close it a second time, when
            // its number may belong to another file.
            close(descriptor)
            if code == EAGAIN || code == EACCES { return nil }
            throw SystemError("\(path) can't be locked", code: code)
        }
        ftruncate(descriptor, 0)
        self.path = path
        self.descriptor = descriptor
        file = FileIdentity(descriptor: descriptor)
    }

    deinit {
        // A process that is being started at this moment has a copy of the descriptor, which would keep the
        // lock.
        FileLock.release(descriptor)
        close(descriptor)
    }

    /// Whether the path still leads to the locked file. If not, another process could lock another file
    /// there.
    package var isInPlace: Bool { file != nil && FileIdentity(path: path) == file }

    /// Sets the file's mode to that of a new one: only this user may read and write it.
    package func restrict() { fchmod(descriptor, 0o600) }

    /// Replaces the file's content by this text. If the disk has no room for it, the file becomes empty.
    package func write(_ text: String) { LockFile.write(text, to: descriptor) }

    /// Replaces the content of the lock file at `path`, if there is one. For code that knows that this
    /// process has the lock.
    package static func write(_ text: String, to path: String) {
        guard let file = OwnedDescriptor(open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)) else { return }
        write(text, to: file.number)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        let isWritten = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        ftruncate(descriptor, isWritten ? off_t(bytes.count) : 0)
    }

    /// Returns the content of the file at `path`, or nil if no process has its lock. Reading takes no lock,
    /// so it delays no other process.
    ///
    /// - Parameter limit: The maximum number of bytes to read.
    package static func text(at path: String, limit: Int) -> [UInt8]? {
        guard let file = OwnedDescriptor(open(path, readFlags)),
            FileLock.isHeld(file.number)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(file.number, &bytes, bytes.count, 0)
        return Array(bytes[..<max(0, count)])
    }

    /// Whether a process has the lock of the file at `path`.
    package static func isHeld(_ path: String) -> Bool { text(at: path, limit: 0) != nil }
}

/// Locks of whole files that belong to an open descriptor, as with flock(2). A process can ask for a lock's
/// state without taking the lock, so it delays nobody ("open file description locks" in fcntl(2)).
private enum FileLock {
    /// Takes the lock for a descriptor. Returns false and sets `errno` if another descriptor has it or the
    /// file system has no locks.
    static func acquire(_ descriptor: Int32) -> Bool {
        var request = request(F_WRLCK)
        return fcntl(descriptor, SystemNumber.setFileLock, &request) == 0
    }

    /// Releases the lock, even if a process that is being started has a copy of the descriptor.
    static func release(_ descriptor: Int32) {
        var request = request(F_UNLCK)
        _ = fcntl(descriptor, SystemNumber.setFileLock, &request)
    }

    /// Whether the file is locked by another descriptor.
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
