/// The clients that a server serves.
package enum HTTPAudience: Hashable, Sendable {
    /// This user's programs, at 127.0.0.1.
    case thisUser
    /// Every client that can reach this numeric address. The served content must be meant for all of them.
    case anyone(at: String)

    /// The numeric address to listen at.
    var host: String {
        switch self {
        case .thisUser: "127.0.0.1"
        case .anyone(let host): host
        }
    }
}

/// Checks that a request to a server on this machine's loopback comes from the server's own page, or from no
/// page. It relies on headers that browsers set and that no page can change.
///
/// Without this check another page could make a browser send requests here. If that page's own name points to
/// this machine (DNS rebinding), the page could also read the responses.
package struct LoopbackOrigin: Hashable, Sendable {
    private let hosts: [String]

    /// - Parameter port: The port at which the server listens.
    package init(port: UInt16) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// Whether the request names this server as its host and doesn't come from another page.
    package func admits(_ request: HTTPRequest) -> Bool {
        let named = request.headers("Host").map { $0.lowercased() }
        guard named.count == 1, let host = named.first, hosts.contains(host) else { return false }
        guard request.headers("Origin").allSatisfy({ $0.lowercased() == "http://\(host)" }) else {
            return false
        }
        return request.headers("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
