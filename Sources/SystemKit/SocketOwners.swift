/// Looks up the user of a TCP connection's socket at 127.0.0.1, by asking the kernel for that one socket
/// (sock_diag(7)).
///
/// A lookup costs two system calls, however many sockets there are.
package final class SocketOwners {
    private let kernel: OwnedDescriptor
    /// The number of the last request, which its answer repeats.
    private var lastQuestion: UInt32 = 0

    /// The kernel's answer about a connection.
    package enum Answer: Hashable, Sendable {
        /// The connection is established, and its socket belongs to this user.
        case user(UInt32)
        /// No such connection is established.
        case none
        /// The kernel gave no answer.
        case unknown
    }

    /// Opens a socket to the kernel. Nil if the kernel can't answer: it lacks the module `tcp_diag`, or the
    /// system isn't Linux.
    ///
    /// - Parameter port: A port of 127.0.0.1 at which this process listens. The initializer asks for that
    ///   socket, to test whether the kernel answers.
    package init?(listeningAt port: UInt16) {
        guard let kernel = OwnedDescriptor(SocketOwners.open()) else { return nil }
        self.kernel = kernel
        guard case .found(SocketOwners.listening, _) = query(from: port, to: 0, peer: 0) else { return nil }
    }

    /// Returns the owner of a connection from one port of 127.0.0.1 to another. Returns `none` if the client
    /// has closed the connection, or one direction of it.
    package func owner(from client: UInt16, to server: UInt16) -> Answer {
        switch query(from: client, to: server, peer: SocketOwners.loopback) {
        case .found(SocketOwners.established, let user): .user(user)
        case .found, .notFound: .none
        case .noAnswer: .unknown
        }
    }

    private enum Finding {
        case found(state: UInt8, user: UInt32)
        case notFound
        case noAnswer
    }

    // Numbers of <linux/netlink.h>, <linux/sock_diag.h>, <linux/inet_diag.h> and <netinet/tcp.h>, which Swift doesn't
    // import.
    private static let established: UInt8 = 1
    private static let listening: UInt8 = 10
    private static let byFamily: UInt16 = 20
    private static let isRequest: UInt16 = 1
    private static let isError: UInt16 = 2
    private static let loopback: UInt32 = 0x7F00_0001

    private static func open() -> Int32 {
        #if canImport(Glibc)
            let netlink: Int32 = 16
            let socketDiagnosis: Int32 = 4
            return socket(netlink, datagramSocket | Int32(SOCK_CLOEXEC.rawValue), socketDiagnosis)
        #else
            return -1
        #endif
    }

    /// Asks the kernel for the socket that is bound to `client` at 127.0.0.1 and connected to `server` at
    /// `peer`.
    private func query(from client: UInt16, to server: UInt16, peer: UInt32) -> Finding {
        lastQuestion &+= 1
        var question: [UInt8] = []
        func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { question += $0 } }
        // A header (`nlmsghdr`) of 16 bytes, and a request (`inet_diag_req_v2`) of 56.
        append(UInt32(72))
        append(SocketOwners.byFamily)
        append(SocketOwners.isRequest)
        append(lastQuestion)
        append(UInt32(0))
        question += [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0]
        // All bits set: a socket in any state.
        append(UInt32.max)
        append(client.bigEndian)
        append(server.bigEndian)
        for address in [SocketOwners.loopback, peer] {
            append(address.bigEndian)
            question += [UInt8](repeating: 0, count: 12)
        }
        // Any network interface.
        append(UInt32(0))
        // All bits set: any cookie of the socket.
        append(UInt64.max)
        guard send(kernel.number, question, question.count, 0) == question.count else { return .noAnswer }
        return readAnswer()
    }

    /// Reads the answer, which is available as soon as the request is sent.
    private func readAnswer() -> Finding {
        var bytes = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(kernel.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count >= 20 else { return .noAnswer }
            func number<Value: FixedWidthInteger>(at offset: Int, _: Value.Type = Value.self) -> Value {
                bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
            }
            // A late answer to an earlier request is skipped.
            guard number(at: 8) as UInt32 == lastQuestion else { continue }
            switch number(at: 4) as UInt16 {
            case SocketOwners.isError: return number(at: 16) as Int32 == -ENOENT ? .notFound : .noAnswer
            // The message after the header (`inet_diag_msg`) has 72 bytes. Its second byte is the state.
            case SocketOwners.byFamily where count >= 88:
                return .found(state: bytes[17], user: number(at: 80))
            default: return .noAnswer
            }
        }
    }
}
