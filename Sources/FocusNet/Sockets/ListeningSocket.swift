import CLibUV
import SystemKit

/// A socket that listens; closed, and the file it made removed, when it is let go.
package final class ListeningSocket {
    /// Where it listens: with the real port where any was asked for.
    package let endpoint: Endpoint

    private let descriptor: OwnedDescriptor
    private let file: SocketFile?

    /// A socket that listens at `endpoint`, where up to 1,024 clients may wait to be accepted.
    /// - Throws: `.addressInUse`, `.badAddress`, or `.system` where it isn't allowed.
    package init(_ endpoint: Endpoint) throws(NetError) {
        let what = "listening on \(endpoint)"
        let address =
            switch endpoint {
            case .tcp(let host, let port): try SocketAddress(numeric: host, port: port)
            case .local(let path): try SocketAddress(path: path)
            }
        if address.path != nil { try SocketFile.makeWay(for: address) }
        guard let descriptor = OwnedDescriptor(socket(address.family, streamSocket, 0)) else {
            throw NetError(errno: errno, what)
        }
        self.descriptor = descriptor
        try ListeningSocket.bind(descriptor.number, to: address, what)
        // Nobody can connect before `listen`, so nobody gets in while the file's mode is still the default.
        file = try address.path.map { path throws(NetError) in try SocketFile(path) }
        guard listen(descriptor.number, 1_024) == 0 else { throw NetError(errno: errno, what) }
        if case .tcp(let host, _) = endpoint, let bound = SocketAddress(of: descriptor.number) {
            self.endpoint = .tcp(host: host, port: bound.port)
        } else {
            self.endpoint = endpoint
        }
    }

    /// A socket that listens already, which whoever started this process handed over: it belongs to this process
    /// from now on. Closing it leaves the one that the other side keeps as it is.
    /// - Throws: `.badAddress` where it is none that listens for TCP.
    package init(inherited number: Int32) throws(NetError) {
        let what = "descriptor \(number), which was handed over to listen at"
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0 else {
            throw NetError(.badAddress, "\(what), is no socket")
        }
        guard isListening != 0, let bound = SocketAddress(of: number),
            [AF_INET, AF_INET6].contains(bound.family)
        else { throw NetError(.badAddress, "\(what), is no socket that listens for TCP") }
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0,
            let descriptor = OwnedDescriptor(number)
        else { throw NetError(errno: errno, what) }
        self.descriptor = descriptor
        file = nil
        endpoint = .tcp(host: bound.host, port: bound.port)
    }

    /// The socket: what libuv watches.
    package var number: Int32 { descriptor.number }

    /// Whether it can be found: false where the file that it made is gone, or another one is in its place.
    var isFound: Bool { file?.isInPlace ?? true }

    /// Somebody else closes the socket from now on: a library that serves at it.
    package func giveAway() { descriptor.giveAway() }

    /// Takes one waiting client: its socket, nil where none waits (any more).
    /// - Throws: `.noDescriptor` where the process has none left for it, `.system` where the machine hasn't.
    func accept() throws(NetError) -> OwnedDescriptor? {
        if let accepted = OwnedDescriptor(lockstep_accept(descriptor.number)) { return accepted }
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw NetError(errno: errno, "accepting on \(endpoint)")
        default: return nil
        }
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress, _ what: String) throws(NetError)
    {
        let flags = fcntl(descriptor, F_GETFL)
        var isSet =
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
        let size = socklen_t(MemoryLayout<Int32>.size)
        if address.path == nil {
            // A server that restarts gets its port back though old connections still linger on it.
            var on: Int32 = 1
            isSet = isSet && setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) == 0
        }
        if address.family == AF_INET6 {
            // `::` takes IPv4 clients as well.
            var off: Int32 = 0
            isSet = isSet && setsockopt(descriptor, ipv6Level, IPV6_V6ONLY, &off, size) == 0
        }
        isSet = isSet && address.withPointer { cBind(descriptor, $0, $1) } == 0
        guard isSet else { throw NetError(errno: errno, what) }
    }
}

/// The C library's `bind`, which a method of the same name hides.
private func cBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}

private let ipv6Level = Int32(IPPROTO_IPV6)

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

/// Local sockets for who has no event loop: a command that is over in a moment.
package enum LocalSocket {
    /// A socket that is connected with whoever listens at `path`, and that the caller closes; nil where nobody does.
    ///
    /// Neither this nor the socket ever waits: a listener that is stopped while its queue of callers is full must
    /// not hold up who calls.
    package static func connected(to path: String) -> Int32? {
        guard let address = try? SocketAddress(path: path),
            let socket = OwnedDescriptor(socket(AF_UNIX, streamSocket, 0)),
            fcntl(socket.number, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(socket.number, F_SETFL, O_NONBLOCK) == 0,
            address.withPointer({ connect(socket.number, $0, $1) }) == 0
        else { return nil }
        socket.giveAway()
        return socket.number
    }
}
