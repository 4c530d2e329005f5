import SystemKit

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
