import FocusCore
import Glibc

/// A port on loopback that nobody listens at, outside the range from which the system gives ports to clients: so
/// nobody has it after a server's restart.
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

/// A socket on loopback, which does nothing by itself. One that listens is a black hole: TCP connects, and then
/// nothing comes.
package struct LoopbackSocket: ~Copyable {
    package let descriptor: Int32

    /// Nil where somebody else listens there.
    package init?(listeningAt port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            // As the server does, so that connections which linger from before don't keep it out.
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return atAddress(port) { bind(descriptor, $0, $1) } && listen(descriptor, 512) == 0
        }
        guard let made else { return nil }
        descriptor = made
    }

    /// One that holds the port without listening; nil where somebody listens there. A process that is just being
    /// started may still have a copy after this one is closed, which keeps nobody else from listening.
    init?(boundTo port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return atAddress(port) { bind(descriptor, $0, $1) }
        }
        guard let made else { return nil }
        descriptor = made
    }

    /// Nil where nobody listens there.
    package init?(connectedTo port: UInt16) {
        let made = LoopbackSocket.make { descriptor in
            atAddress(port) { connect(descriptor, $0, $1) }
        }
        guard let made else { return nil }
        descriptor = made
    }

    private static func make(_ prepare: (Int32) -> Bool) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, !prepare(descriptor) else { return descriptor < 0 ? nil : descriptor }
        close(descriptor)
        return nil
    }

    deinit { close(descriptor) }

    /// Sends these bytes, which are few. Where the other side has ended the connection, it doesn't get them.
    package func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether the other side ends the connection once it has been sent this.
    package func isHungUp(after text: String) throws -> Bool {
        send(Array(text.utf8))
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        while poll(&waiting, 1, Int32(patience.seconds * 1000)) == 1 {
            if recv(descriptor, &bytes, bytes.count, 0) <= 0 { return true }
        }
        return false
    }

    /// Leaves its closing to the caller.
    package consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

/// Whether a call that takes an address of loopback succeeds.
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
