import SystemKit

/// The file by which a listening local socket is found; removed when it is let go, if it is still the same.
///
/// Two programs that start at the same moment at the same path could each take the other's file for a stale one:
/// who may start twice holds a lock of its own.
final class SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Takes over the file that binding a socket made, and lets only this user at it.
    init(_ path: String) throws(NetError) {
        guard chmod(path, 0o600) == 0, let found = SocketFile.status(at: path) else {
            let error = NetError(errno: errno, "setting the mode of \(path)")
            unlink(path)
            throw error
        }
        self.path = path
        device = found.st_dev
        inode = found.st_ino
    }

    /// Whether it is still what is found at its path.
    var isInPlace: Bool {
        SocketFile.status(at: path).map { $0.st_dev == device && $0.st_ino == inode } ?? false
    }

    deinit { if isInPlace { unlink(path) } }

    /// Removes what a program that ended badly left at a local socket's path: a socket on which nobody answers.
    /// Any other file is left alone, and binding will fail.
    /// - Throws: `.addressInUse` where somebody answers.
    static func makeWay(for address: SocketAddress) throws(NetError) {
        guard let path = address.path, let found = status(at: path), found.st_mode & S_IFMT == S_IFSOCK else {
            return
        }
        guard let probe = OwnedDescriptor(socket(AF_UNIX, streamSocket, 0)) else {
            throw NetError(errno: errno, "looking who listens on \(path)")
        }
        // A server too busy to take another client is one that answers: the probe must not wait for it.
        _ = fcntl(probe.number, F_SETFL, O_NONBLOCK)
        let status = address.withPointer { connect(probe.number, $0, $1) }
        guard status != 0, errno == ECONNREFUSED else {
            throw NetError(.addressInUse, "somebody listens on \(path)")
        }
        unlink(path)
    }

    private static func status(at path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }
}
