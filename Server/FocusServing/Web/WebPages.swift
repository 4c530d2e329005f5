package import FocusHTTP
import FocusNet
import FocusServerCore
import FocusSync

/// Answers browsers: with the page's files, and at `/sync` with the WebSocket that carries a device's
/// connection (docs/protocol.md, "WebSockets"). Runs on the event loop's thread.
package final class WebPages: HTTPHandler {
    /// A connection that has become a WebSocket.
    struct Opened: Sendable {
        /// The client's socket, which is closed after the call.
        let socket: Int32
        /// The bytes that arrived behind the request.
        let early: [UInt8]
        let request: HTTPRequest
        /// The time that the client has taken (`HTTPExchange.age`).
        let age: Duration
    }

    /// The headers of every answer. The page runs only its own scripts, in no other page's frame, and loads
    /// nothing from elsewhere.
    static let headers = [
        HTTPField(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
                + "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        HTTPField("X-Content-Type-Options", "nosniff"), HTTPField("Referrer-Policy", "no-referrer"),
        HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPField("Cross-Origin-Resource-Policy", "same-origin"), HTTPField("Cache-Control", "no-cache"),
    ]

    /// The range for the number of clients that haven't opened a WebSocket. A browser asks for all of the
    /// page's files at once, and its proxy opens a connection for each. One takes up to 64 KiB of memory.
    private static let clientLimits = 256...1_024

    /// Returns the limits for clients that haven't opened a WebSocket: those of strangers, within a range. One
    /// address has at most half of the room, and enough for all of the page's files.
    static func limits(_ limits: ServerLimits, behind proxies: [AddressRange]) -> HTTPLimits {
        var http = HTTPLimits()
        let connections = min(max(limits.strangers, clientLimits.lowerBound), clientLimits.upperBound)
        http.connections = UInt32(clamping: connections)
        http.connectionsPerAddress = min(
            max(limits.strangersPerAddress, clientLimits.lowerBound / 2), connections / 2)
        http.proxies = proxies
        http.streams = 0
        http.body = 0
        http.patience = limits.session.opening
        return http
    }

    private static let path = "/sync"

    private let files: WebFiles
    private let handshake: WebSocketUpgrade
    private let opened: (Opened) -> Void

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - files: The page's files.
    ///   - origins: The origins of pages that may connect, besides the server's own page.
    ///   - opened: Receives each connection that has become a WebSocket.
    init(_ files: WebFiles, from origins: [WebOrigin], opened: @escaping (Opened) -> Void) {
        self.files = files
        handshake = WebSocketUpgrade(at: WebPages.path, from: origins)
        self.opened = opened
    }

    /// Refuses other addresses and methods, and long heads.
    package func refusal(of head: HTTPRequest) -> HTTPResponse? {
        WebPages.refusal(of: head) { files[$0] != nil }
    }

    /// Returns the response if a request is refused because of its head, or nil to read on.
    ///
    /// - Parameter hasFile: Returns whether the page has a file at a path.
    package static func refusal(of head: HTTPRequest, hasFile: (String) -> Bool) -> HTTPResponse? {
        guard !WebSocketUpgrade.isTooLong(head) else { return HTTPResponse(431) }
        let isUpgrade = head.path == path
        guard isUpgrade || head.path == "/" || hasFile(head.path) else { return HTTPResponse(404) }
        let methods = isUpgrade ? ["GET"] : ["GET", "HEAD"]
        return methods.contains(head.method) ? nil : .otherMethod(than: methods.joined(separator: ", "))
    }

    /// Answers with a file, or begins a WebSocket.
    package func answer(_ exchange: HTTPExchange) {
        let (request, age) = (exchange.request, exchange.age)
        if request.path == WebPages.path {
            let response = (try? handshake.response(to: request)) ?? HTTPResponse(503)
            guard response.status == 101 else { return exchange.send(response) }
            exchange.upgrade(response) { [opened] socket, early in
                opened(Opened(socket: socket, early: early, request: request, age: age))
            }
        } else if let file = files[request.path] {
            // A browser that has this version gets no body, only its length.
            let isKnown = request.headers("If-None-Match").contains(where: file.isTagged)
            exchange.send(
                HTTPResponse(
                    isKnown ? 304 : 200,
                    headers: [HTTPField("Content-Type", file.type), HTTPField("ETag", file.tag)],
                    body: file.bytes))
        } else {
            exchange.send(WebPages.noPage)
        }
    }

    private static let noPage = HTTPResponse(
        404, type: "text/plain; charset=utf-8",
        Array(
            """
            The page isn't installed on this server. Its operator can put the page's files into the folder that
            the setting 'web-files' names, and restart the server.

            """.utf8))
}
