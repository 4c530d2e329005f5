import Glibc
import SystemKit
import Testing

@testable import FocusNet

/// A port on loopback that is taken, so that no other program gets it, and at which nobody listens.
final class HeldPort: Sendable {
    let endpoint: Endpoint
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, streamSocket, 0)
        let any = try SocketAddress(numeric: "127.0.0.1", port: 0)
        try #require(any.withPointer { bind(descriptor, $0, $1) } == 0)
        endpoint = .tcp(host: "127.0.0.1", port: try #require(SocketAddress(of: descriptor)).port)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
