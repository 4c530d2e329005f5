import CLibUV
import SystemKit

/// A listening socket. When it is released, the socket is closed and the file that it made is removed.
package final class ListeningSocket {
    /// The endpoint at which it listens; with the real port if port 0 was requested.
    package let endpoint: Endpoint

    private let descriptor: OwnedDescriptor
    /// The file of a local socket; nil for TCP.
    private let file: SocketFile?

    /// A socket that listens at `endpoint`. Up to 1,024 clients may wait there to be accepted.
    /// - Throws: `.addressInUse`, `.badAddress`, or `.system` if the system doesn't allow it.
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
        // Nobody can connect before `listen`, so nobody connects while the file still has its default mode.
        file = try address.path.map { path throws(NetError) in try SocketFile(path) }
        guard listen(descriptor.number, 1_024) == 0 else { throw NetError(errno: errno, what) }
        if case .tcp(let host, _) = endpoint, let bound = SocketAddress(of: descriptor.number) {
            self.endpoint = .tcp(host: host, port: bound.port)
        } else {
            self.endpoint = endpoint
        }
    }

    /// A listening socket that the parent process opened and passed on. This process owns its descriptor from
    /// now on; closing it doesn't affect the parent's descriptor.
    /// - Throws: `.badAddress` if it isn't a socket that listens for TCP.
    package init(inherited number: Int32) throws(NetError) {
        let what = "descriptor \(number), which was handed over to listen on"
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

    /// The socket's descriptor, which libuv watches.
    package var number: Int32 { descriptor.number }

    /// Whether clients can still find it: false if the file that it made is gone or was replaced.
    var isFound: Bool { file?.isInPlace ?? true }

    /// Gives up ownership of the descriptor: from now on a library that serves at the socket closes it.
    package func giveAway() { descriptor.giveAway() }

    /// Accepts one waiting client and returns its socket, or nil if no client waits (any more).
    /// - Throws: `.noDescriptor` if the process has no descriptor left, `.system` if the machine has no
    ///   descriptor or memory left.
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
            // A server that restarts gets its port back although old connections still linger on it.
            var on: Int32 = 1
            isSet = isSet && setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) == 0
        }
        if address.family == AF_INET6 {
            // `::` accepts IPv4 clients too.
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

/// The file of a listening local socket. When this is released, the file is removed if it is still the same
/// one.
///
/// Two programs that start at the same path at the same moment could each remove the other's file because it
/// looks stale. A program that could be started twice must hold a lock of its own.
final class SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Takes over the file that binding a socket made, and makes it accessible to this user only.
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

    /// Whether the file at the path is still this one.
    var isInPlace: Bool {
        SocketFile.status(at: path).map { $0.st_dev == device && $0.st_ino == inode } ?? false
    }

    deinit { if isInPlace { unlink(path) } }

    /// Removes a socket's file at the address's path if nobody answers there: a crashed program has left it.
    /// Any other file stays, and binding then fails.
    /// - Throws: `.addressInUse` if somebody answers.
    static func makeWay(for address: SocketAddress) throws(NetError) {
        guard let path = address.path, let found = status(at: path), found.st_mode & S_IFMT == S_IFSOCK else {
            return
        }
        guard let probe = OwnedDescriptor(socket(AF_UNIX, streamSocket, 0)) else {
            throw NetError(errno: errno, "looking who listens on \(path)")
        }
        // A server that is too busy to accept another client counts as one that answers. The probe must not
        // wait for it.
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

/// Local sockets for programs without an event loop, such as a short command.
package enum LocalSocket {
    /// Returns a socket that is connected to the listener at `path`, or nil if nobody listens. The caller
    /// must close it. Neither this call nor the socket ever blocks: a stopped listener with a full queue of
    /// clients must not delay the caller.
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
