/// Locks of whole files that belong to an open descriptor, as those of flock(2) do, and that can be asked about without
/// taking one: so who looks is never in the way of who wants it ("open file description locks" in fcntl(2)).
package enum FileLock {
    // Swift doesn't import these two.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Takes the lock for a descriptor; false, with `errno` set, where another has it or the disk has no locks.
    package static func acquire(_ descriptor: Int32) -> Bool {
        var request = request(F_WRLCK)
        return fcntl(descriptor, setLock, &request) == 0
    }

    /// Lets go of the lock, also where a process that is being started has a copy of the descriptor.
    package static func release(_ descriptor: Int32) {
        var request = request(F_UNLCK)
        _ = fcntl(descriptor, setLock, &request)
    }

    /// Whether somebody has the lock of a file by another descriptor than this one.
    package static func isHeld(_ descriptor: Int32) -> Bool {
        var request = request(F_RDLCK)
        return fcntl(descriptor, getLock, &request) == 0 && request.l_type != Int16(F_UNLCK)
    }

    /// A request for the whole file.
    private static func request(_ type: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(type)
        request.l_whence = Int16(SEEK_SET)
        return request
    }
}

/// Which file it is, whatever it is called: another file at the same path is another one.
package struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    /// The file that is open; nil where it can't be looked at.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file at `path`; nil where there is none, or it can't be looked at.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }
}

/// A file descriptor that is closed when it is let go, on every path.
package final class OwnedDescriptor {
    /// As the system numbers it.
    package let number: Int32
    private var isOwned = true

    /// Takes over `number`; nil where it says that a call failed.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { if isOwned { close(number) } }

    /// Somebody else closes it from now on.
    package func giveAway() { isOwned = false }
}
