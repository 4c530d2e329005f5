/// Where a listener listens, or where a connection goes.
package enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// TCP. A listener takes numeric addresses only (`0.0.0.0`, `::` for both families, `::1`) and port 0 for
    /// any free port; a connection looks names up.
    case tcp(host: String, port: UInt16)

    /// A Unix-domain socket on this machine.
    case local(path: String)

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .local(let path): path
        }
    }
}
