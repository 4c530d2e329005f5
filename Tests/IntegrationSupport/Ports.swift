import FocusCore
import Glibc
import Synchronization

/// Returns a free port on loopback. It lies outside the range from which the system picks ports for clients,
/// so it stays free while a server restarts.
package func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        let port = UInt16.random(in: 10_000..<30_000)
        if let holder = LoopbackSocket(boundTo: port) {
            _ = consume holder
            return port
        }
    }
    throw Unmet("no port is free")
}

/// A socket on loopback that does nothing by itself. If it listens, clients connect and never receive
/// anything.
package struct LoopbackSocket: ~Copyable {
    package let descriptor: Int32

    /// Listens at `port`; nil if another socket does already.
    package init?(listeningAt port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            // The server sets this too, so that lingering connections don't keep the port in use.
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return atAddress(port) { bind(descriptor, $0, $1) } && listen(descriptor, 512) == 0
        }
        guard let made else { return nil }
        descriptor = made
    }

    /// Holds `port` without listening; nil if another socket listens there.
    ///
    /// A process that is just starting may inherit the descriptor and hold the port longer. Other sockets can
    /// still listen at the port then.
    init?(boundTo port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return atAddress(port) { bind(descriptor, $0, $1) }
        }
        guard let made else { return nil }
        descriptor = made
    }

    /// Connects to `port`; nil if nobody listens there.
    package init?(connectedTo port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            atAddress(port) { connect(descriptor, $0, $1) }
        }
        guard let made else { return nil }
        descriptor = made
    }

    private static func make(_ prepare: (Int32) -> Bool) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        if prepare(descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    deinit { close(descriptor) }

    /// Sends a few bytes. They are lost if the other side has ended the connection.
    package func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether the other side ends the connection after it receives `text`.
    package func isHungUp(after text: String) throws -> Bool {
        send(Array(text.utf8))
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        while poll(&waiting, 1, Int32(patience.seconds * 1000)) == 1 {
            if recv(descriptor, &bytes, bytes.count, 0) <= 0 { return true }
        }
        return false
    }

    /// Returns the descriptor, which the caller has to close.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

/// Whether `call` succeeds with the address of `port` on loopback.
private func atAddress(_ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) == 0 }
    }
}

/// Accepts a client that waits at a listening socket; nil if the socket was shut down.
///
/// - Returns: The client's descriptor, which the caller has to close.
package func acceptedClient(_ listener: Int32) -> Int32? {
    let client = Program.spawning.withLock { _ in
        let client = accept(listener, nil, nil)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
    }
    return client >= 0 ? client : nil
}

extension Server {
    /// A socket that listens at the port of the stopped server, and says nothing.
    package func silentSocket() throws -> LoopbackSocket {
        guard let port, let socket = LoopbackSocket(listeningAt: port) else {
            throw Unmet("the server's port is taken")
        }
        return socket
    }
}
