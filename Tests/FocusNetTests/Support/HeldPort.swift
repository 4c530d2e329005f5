import FocusNet
import Glibc
import Testing

/// A port on loopback that is taken, so that no other program gets it, and at which nobody listens.
final class HeldPort: Sendable {
    let endpoint: Endpoint
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        endpoint = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
        try #require(isBound)
    }

    deinit { close(descriptor) }
}
