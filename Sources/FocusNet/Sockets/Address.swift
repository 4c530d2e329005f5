/// A server's address as people write it: `HOST`, `HOST:PORT`, `[V6]` or `[V6]:PORT`.
package struct Address: Hashable, Sendable {
    /// A name or a numeric address, without brackets; at most 253 bytes.
    package let host: String
    /// The port, or nil if the text has none.
    package let port: UInt16?

    /// The port of an address without one (docs/protocol.md, "Transport").
    package static let defaultPort: UInt16 = 7853

    /// The endpoint to connect to, or to listen at.
    package var endpoint: Endpoint { .tcp(host: host, port: port ?? Address.defaultPort) }

    /// Whether the host is an IPv4 or IPv6 address and not a name. A server can listen only at such an
    /// address.
    package var isNumeric: Bool { (try? SocketAddress(numeric: host, port: 0)) != nil }

    /// Parses an address. Returns nil if the text isn't an address. An IPv6 address without brackets has no
    /// port.
    package init?(_ text: String) {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":") else { return nil }
        } else if text.filter({ $0 == ":" }).count > 1 {
            host = text[...]
            rest = ""
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
        }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(Address.isAllowed) else {
            return nil
        }
        self.host = String(host)
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.first == ":", let port = UInt16(rest.dropFirst()) else { return nil }
            self.port = port
        }
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ".-_:%".utf8.contains(character)
        }
    }
}

/// The place at which a listener listens, or to which a connection goes.
package enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// TCP. A listener accepts only numeric addresses (`0.0.0.0`, `::` for both families, `::1`), and port 0
    /// for any free port. A connection also looks names up.
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
