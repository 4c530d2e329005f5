/// Whose requests a server takes.
package enum HTTPAudience: Hashable, Sendable {
    /// Those of this user's programs, at 127.0.0.1.
    case thisUser
    /// Those of whoever reaches this numeric address: what is served has to be for everybody there.
    case anyone(at: String)

    /// The numeric address to listen at.
    var host: String {
        switch self {
        case .thisUser: "127.0.0.1"
        case .anyone(let host): host
        }
    }
}

/// Tells whether a request to a server on this machine's loopback comes from the server's own page, or from no page
/// at all: by what browsers say of it, which no page can change.
///
/// Another page could otherwise have a browser send requests here, or by a name that it makes point to this machine
/// (DNS rebinding) read the answers.
package struct LoopbackOrigin: Hashable, Sendable {
    private let hosts: [String]

    /// - Parameter port: Where the server listens.
    package init(port: UInt16) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// Whether the request names this server as its host, and comes from nowhere else.
    package func admits(_ request: HTTPRequest) -> Bool {
        let named = request.headers("Host").map { $0.lowercased() }
        guard named.count == 1, let host = named.first, hosts.contains(host) else { return false }
        guard request.headers("Origin").allSatisfy({ $0.lowercased() == "http://\(host)" }) else {
            return false
        }
        return request.headers("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
