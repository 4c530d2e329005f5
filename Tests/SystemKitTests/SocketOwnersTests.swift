import SystemKit
import TestTraits
import Testing

@Suite("Whose socket a connection is", .ends(within: .seconds(600)))
struct SocketOwnersTests {
    /// A TCP socket at 127.0.0.1, for IPv4 or IPv6.
    private final class TestSocket {
        let number: Int32
        private let isMapped: Bool

        init(isMapped: Bool = false) throws {
            self.isMapped = isMapped
            number = socket(isMapped ? AF_INET6 : AF_INET, streamSocket, 0)
            try #require(number >= 0)
        }

        deinit { close(number) }

        /// A free port, which nobody else gets while the socket lives.
        func bind() throws -> UInt16 {
            try #require(withAddress(port: 0) { SystemKit.bind(number, $0, $1) } == 0)
            return try port
        }

        func listen() throws -> UInt16 {
            let port = try bind()
            try #require(SystemKit.listen(number, 16) == 0)
            return port
        }

        func connect(to port: UInt16) throws {
            try #require(withAddress(port: port) { SystemKit.connect(number, $0, $1) } == 0)
        }

        var port: UInt16 {
            get throws {
                var address = sockaddr_in6()
                var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
                let isThere = withUnsafeMutableBytes(of: &address) { bytes in
                    getsockname(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
                }
                try #require(isThere == 0)
                // The port is at the same offset in the addresses of both versions.
                return UInt16(bigEndian: address.sin6_port)
            }
        }

        private func withAddress<Result>(
            port: UInt16, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result
        ) -> Result {
            var bytes = [UInt8](repeating: 0, count: isMapped ? 28 : 16)
            let family = sa_family_t(isMapped ? AF_INET6 : AF_INET)
            withUnsafeBytes(of: family) { bytes.replaceSubrange(0..<2, with: $0) }
            withUnsafeBytes(of: port.bigEndian) { bytes.replaceSubrange(2..<4, with: $0) }
            if isMapped {
                bytes.replaceSubrange(18..<24, with: [0xFF, 0xFF, 127, 0, 0, 1])
            } else {
                bytes.replaceSubrange(4..<8, with: [127, 0, 0, 1])
            }
            return bytes.withUnsafeBytes {
                body($0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
            }
        }
    }

    @Test(
        "the kernel says whose a connection is, by IPv4 or mapped into IPv6, as long as the client has it open"
    )
    func owner() throws {
        let server = try TestSocket()
        let port = try server.listen()
        let owners = try #require(SocketOwners(listeningAt: port))
        for isMapped in [false, true] {
            let client = try TestSocket(isMapped: isMapped)
            try client.connect(to: port)
            let from = try client.port
            #expect(owners.owner(from: from, to: port) == .user(geteuid()))
            #expect(owners.owner(from: from, to: port &+ 1) == .none)
            shutdown(client.number, Int32(SHUT_WR))
            #expect(owners.owner(from: from, to: port) == .none)
        }
        #expect(owners.owner(from: port, to: port) == .none)
    }

    @Test("if nothing listens, nobody is asked")
    func nobody() throws {
        let silent = try TestSocket()
        #expect(try SocketOwners(listeningAt: silent.bind()) == nil)
    }
}
