import FocusHTTP
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusSync

extension Server {
    /// The HTTP server for browsers, with its handler.
    struct Web {
        let pages: WebPages
        let http: HTTPServer
        /// The proxies that may name a client's address.
        let proxies: [AddressRange]
    }

    /// Starts to serve browsers, if the settings say so. Called after `start`.
    ///
    /// - Parameter files: The page's files, from `folder`.
    /// - Throws: `NetError` if it can't listen on the address, or a library is missing.
    func serveWeb(
        _ settings: WebSettings, _ files: WebFiles, from folder: String
    ) throws(NetError) {
        guard let address = settings.address, let port = address.port else { return }
        let pages = WebPages(files, from: settings.origins) { [weak self] opened in
            self?.assumeIsolated { $0.begin(opened) }
        }
        let http = try HTTPServer(
            port: port, for: .anyone(at: address.host), headers: WebPages.headers,
            limits: WebPages.limits(limits, behind: settings.proxies), on: loop, handler: pages)
        serving?.web = Web(pages: pages, http: http, proxies: settings.proxies)
        let endpoint = Endpoint.tcp(host: address.host, port: http.port)
        notes.web = "\(endpoint)"
        log.write(.info, "web", ["endpoint": "\(endpoint)", "files": "\(files.count)"])
        for omission in files.omissions {
            log.write(
                .warning, "web-file-left-out",
                ["file": .text(omission.path), "error": .text(omission.reason)])
        }
        if files["/"] == nil {
            log.write(.warning, "no-page", ["folder": .text(folder), "do": .remedy(.installPage)])
        }
    }

    /// Begins the connection of a client that has opened a WebSocket. Until its device is known, it is a
    /// stranger's, and waiting for its request counts as part of its handshake.
    private func begin(_ opened: WebPages.Opened) {
        guard let serving, let web = serving.web else { return }
        var bounds = ConnectionLimits()
        bounds.handshake = max(.seconds(1), limits.session.opening - opened.age)
        do throws(NetError) {
            let client = try WebSocketClient(
                duplicating: opened.socket, early: opened.early,
                forwardedFor: opened.request.headers("X-Forwarded-For"), by: web.proxies)
            Connection.begin(client, over: serving.webContext, on: loop, limits: bounds) { handler(of: $0) }
        } catch {
            starved(error)
        }
    }
}
