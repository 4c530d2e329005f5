import Glibc

/// A port on loopback that nobody listens at, outside the range from which the system gives ports to clients: so
/// nobody has it after a server's restart.
package func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        let port = UInt16.random(in: 10_000..<30_000)
        if let listener = DeafListener(port: port) {
            _ = consume listener
            return port
        }
    }
    throw Unmet("no port is free")
}

/// Listens at a port of loopback and never answers: a black hole. TCP connects, and then nothing comes.
package struct DeafListener: ~Copyable {
    private let descriptor: Int32

    /// Nil where somebody else listens there.
    package init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // As the server does, so that connections which linger from before don't keep it out.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}
