import SystemKit

/// Checks of TCP ports, without an event loop.
package enum PortProbe {
    /// Whether somebody accepts a connection at this numeric address, within `patience`.
    package static func answers(
        _ host: String, _ port: UInt16, within patience: Duration = .seconds(1)
    ) -> Bool {
        guard let address = try? SocketAddress(numeric: host, port: port),
            let socket = OwnedDescriptor(socket(address.family, streamSocket, 0)),
            fcntl(socket.number, F_SETFD, FD_CLOEXEC) == 0, fcntl(socket.number, F_SETFL, O_NONBLOCK) == 0
        else { return false }
        if address.withPointer({ connect(socket.number, $0, $1) }) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        var state = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, Int32(patience / .milliseconds(1))) == 1 else { return false }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0
    }

    /// Whether a server can listen at this port of all of this machine's addresses.
    package static func isFree(_ port: UInt16) -> Bool { canListen(at: everywhere, port) }

    /// The numeric host that stands for all of this machine's addresses: of both families, if it has IPv6.
    package static var everywhere: String { canListen(at: "::", 0) ? "::" : "0.0.0.0" }

    private static func canListen(at host: String, _ port: UInt16) -> Bool {
        (try? ListeningSocket(.tcp(host: host, port: port))) != nil
    }
}
