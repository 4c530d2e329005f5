import FocusHTTP

/// Answers `/metrics`, `/healthz` and `/readyz`. On the loop's thread.
final class HealthPages: HTTPHandler {
    /// What goes with each answer.
    static let headers = [
        HTTPField("Cache-Control", "no-store"), HTTPField("X-Content-Type-Options", "nosniff"),
    ]

    /// What clients may have: they only ask, and there are few of them.
    static let limits = {
        var limits = HTTPLimits()
        limits.connections = 16
        limits.streams = 0
        limits.body = 0
        limits.patience = 10
        return limits
    }()

    private let page: () -> MetricsPage?

    /// - Parameter page: how things stand now; nil where the server has gone.
    init(_ page: @escaping () -> MetricsPage?) { self.page = page }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard ["/metrics", "/healthz", "/readyz"].contains(head.path) else { return HTTPResponse(404) }
        return ["GET", "HEAD"].contains(head.method) ? nil : .otherMethod(than: "GET, HEAD")
    }

    func answer(_ exchange: HTTPExchange) {
        guard let page = page() else { return exchange.send(HTTPResponse(503)) }
        switch exchange.request.path {
        case "/metrics":
            exchange.send(HTTPResponse(200, type: MetricsText.type, Array(page.text.utf8)))
        case "/readyz":
            let troubles = page.state.troubles.map(\.sentence)
            exchange.send(
                troubles.isEmpty ? HealthPages.plain(200, ["ready"]) : HealthPages.plain(503, troubles))
        default: exchange.send(HealthPages.plain(200, ["ok"]))
        }
    }

    private static func plain(_ status: UInt32, _ lines: [String]) -> HTTPResponse {
        HTTPResponse(
            status, type: "text/plain; charset=utf-8", Array(lines.map { "\($0)\n" }.joined().utf8))
    }
}
