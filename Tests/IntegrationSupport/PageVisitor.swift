import Foundation
package import TestSupport

/// An HTTP client that is signed in to a laptop's page, as a browser is.
package struct PageVisitor {
    package let port: UInt16
    /// The cookie that the page's server set.
    package let cookie: String

    /// Gets a link from `focus web` and follows it.
    package init(_ laptop: Laptop) throws {
        let link = try PageVisitor.link(laptop)
        let answer = try HTTPClient(port: link.port).ask("GET", link.path, host: "127.0.0.1:\(link.port)")
        guard answer.status == 303, let cookie = answer.headers["set-cookie"]?.split(separator: ";").first
        else { throw Unmet("the link wasn't taken: \(answer)") }
        port = link.port
        self.cookie = String(cookie)
    }

    /// Makes a new link to a laptop's page.
    package static func link(_ laptop: Laptop) throws -> (port: UInt16, path: String) {
        let text = try laptop.press("web", "--print").trimmingCharacters(in: .newlines)
        guard let url = URL(string: text), let port = url.port, let query = url.query,
            text.hasPrefix("http://127.0.0.1:\(port)/open?key=")
        else { throw Unmet("no link: \(text)") }
        return (UInt16(port), "/open?\(query)")
    }

    package var host: String { "127.0.0.1:\(port)" }

    /// Sends a GET request.
    package func get(_ path: String) throws -> HTTPClient.Answer {
        try HTTPClient(port: port).ask("GET", path, host: host, ["Cookie": cookie])
    }

    /// Opens the stream of events.
    package func follow() throws -> HTTPClient {
        let client = try HTTPClient(port: port)
        client.send("GET /events HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\n\r\n")
        let (status, _) = try client.head()
        guard status == 200 else { throw Unmet("no events: \(status)") }
        return client
    }
}
