package import FocusSync

/// The place at which a listener listens, or to which a connection goes.
package enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// TCP. A listener accepts only numeric addresses (`0.0.0.0`, `::` for both families, `::1`), and port 0
    /// for any free port. A connection also looks names up.
    case tcp(host: String, port: UInt16)

    /// A Unix-domain socket on this machine.
    case local(path: String)

    package var description: String {
        switch self {
        case .tcp(let host, let port): Address.text(host: host, port: port)
        case .local(let path): path
        }
    }
}

extension Address {
    /// The endpoint to connect to, or to listen at.
    package var endpoint: Endpoint { .tcp(host: host, port: port ?? Address.defaultPort) }

    /// Whether the host is an IPv4 or IPv6 address and not a name. A server can listen only at such an
    /// address.
    package var isNumeric: Bool { (try? SocketAddress(numeric: host, port: 0)) != nil }
}
