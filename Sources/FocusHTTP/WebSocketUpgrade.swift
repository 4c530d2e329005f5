package import FocusNet
import FocusSync

/// The server's side of the handshake that makes a WebSocket of an HTTP connection (RFC 6455 §4.2).
package struct WebSocketUpgrade: Hashable, Sendable {
    /// The most bytes of a request's head.
    package static let headLimit = 8 << 10

    private let path: String
    private let origins: [WebOrigin]

    /// A handshake for this path.
    ///
    /// - Parameter origins: The pages that may connect, besides pages of the host that the request names.
    package init(at path: String, from origins: [WebOrigin] = []) {
        self.path = path
        self.origins = origins
    }

    /// Returns the response to a request, by its head: 101 if the connection becomes a WebSocket.
    /// libmicrohttpd adds `Connection: Upgrade` to it. No subprotocol or extension is ever chosen.
    ///
    /// - Throws: `NetError` if OpenSSL can't be used.
    package func response(to head: HTTPRequest) throws(NetError) -> HTTPResponse {
        guard !WebSocketUpgrade.isTooLong(head) else { return HTTPResponse(431) }
        guard head.path == path else { return HTTPResponse(404) }
        guard head.method == "GET" else { return .otherMethod(than: "GET") }
        let (hosts, named) = (head.headers("Host"), head.headers("Origin"))
        guard head.version == "HTTP/1.1", hosts.count == 1, named.count <= 1,
            head.headers("Transfer-Encoding").isEmpty,
            head.headers("Content-Length").allSatisfy({ $0 == "0" })
        else { return HTTPResponse(400) }
        // Other programs than browsers name no origin.
        guard named.allSatisfy({ admits($0, at: hosts[0]) }) else { return HTTPResponse(403) }
        guard WebSocketUpgrade.isListed("websocket", in: head.headers("Upgrade")),
            WebSocketUpgrade.isListed("upgrade", in: head.headers("Connection")),
            head.headers("Sec-WebSocket-Version") == ["13"]
        else {
            return HTTPResponse(
                426, headers: [HTTPField("Upgrade", "websocket"), HTTPField("Sec-WebSocket-Version", "13")])
        }
        let keys = head.headers("Sec-WebSocket-Key")
        guard keys.count == 1, let accept = try WebSocketKey.accept(keys[0]) else { return HTTPResponse(400) }
        return HTTPResponse(
            101, headers: [HTTPField("Upgrade", "websocket"), HTTPField("Sec-WebSocket-Accept", accept)])
    }

    /// Whether a request's head is longer than `headLimit`.
    package static func isTooLong(_ head: HTTPRequest) -> Bool { length(of: head) > headLimit }

    /// Whether a page of this origin may connect to this host.
    private func admits(_ origin: String, at host: String) -> Bool {
        guard let origin = WebOrigin(origin) else { return false }
        return origin.matches(host: host) || origins.contains(origin)
    }

    /// Whether a word is in one of these comma-separated lists. The case of letters has no meaning.
    private static func isListed(_ word: String, in lists: [String]) -> Bool {
        lists.flatMap { $0.lowercased().split { ", \t".contains($0) } }.contains { $0 == word }
    }

    /// The length of a head, in bytes. 14 of them are the version, the spaces and the line breaks besides the
    /// headers'.
    private static func length(of head: HTTPRequest) -> Int {
        let query = head.query.map { $0.name.utf8.count + $0.value.utf8.count + 2 }
        let headers = head.headers.map { $0.name.utf8.count + $0.value.utf8.count + 4 }
        return head.method.utf8.count + head.path.utf8.count + query.reduce(0, +) + headers.reduce(14, +)
    }
}

/// The origin of a page: scheme, host and port (RFC 6454).
package struct WebOrigin: Hashable, Sendable {
    private let scheme: Scheme
    /// In small letters. An IPv6 address is in brackets.
    private let host: String
    private let port: UInt16

    private enum Scheme: String, CaseIterable {
        case http, https

        /// The port that an origin of this scheme has if it names none.
        var port: UInt16 { self == .http ? 80 : 443 }
    }

    /// Parses an origin such as `https://focus.example` or `http://[::1]:8080`. Returns nil if the text is no
    /// origin of HTTP: `null`, or an address with a path.
    package init?(_ text: String) {
        let lower = text.lowercased()
        guard let scheme = Scheme.allCases.first(where: { lower.hasPrefix("\($0.rawValue)://") }) else {
            return nil
        }
        self.init(scheme, authority: String(text.dropFirst("\(scheme.rawValue)://".count)))
    }

    /// The origin of a scheme at a host with an optional port.
    private init?(_ scheme: Scheme, authority: String) {
        guard let address = Address(authority: authority) else { return nil }
        let host = address.host.lowercased()
        (self.scheme, port) = (scheme, address.port ?? scheme.port)
        self.host = host.contains(":") ? "[\(host)]" : host
    }

    /// The origin as browsers send it.
    package var text: String {
        "\(scheme.rawValue)://\(host)" + (port == scheme.port ? "" : ":\(port)")
    }

    /// Whether a request with this header `Host` goes to the origin's own server. A proxy may have ended TLS,
    /// so the scheme of the request isn't known.
    func matches(host: String) -> Bool { WebOrigin(scheme, authority: host) == self }
}
