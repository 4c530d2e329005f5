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
