import CommandLineKit
package import FocusContact
import FocusCore
import FocusDevice
package import FocusFront
package import FocusHTTP
import FocusLink
import FocusNet
import FocusStore
import FocusText

/// Serves the page to this laptop's browsers, as part of the agent (docs/page.md).
///
/// It listens from the first `focus web` on. After a restart of the agent it listens again if a browser is
/// still signed in, or there is a calendar feed. While no page is open, it only answers requests. It runs on
/// the agent's loop.
package final class PageServer: AgentPage, @unchecked Sendable {
    // Unchecked: only the loop's thread uses it, apart from `documents`, which only the reader's thread uses. Other
    // threads return to the loop's thread through `EventLoop.run`.

    let device: Device
    let context: ViewContext
    let loop: EventLoop
    let agent: PageContext
    /// The HTTP server; nil while the page's server doesn't listen.
    private var http: HTTPServer?
    /// The origin that requests must have.
    private var origin: LoopbackOrigin?
    private var keys = OneTimeKeys()
    /// The signed-in browsers and the calendar feed; nil until the server listens.
    private var sessions: PageSessions?

    /// The device behind the pages.
    private let pages: PageDevice
    // The open pages, by their streams.
    private var viewers: [ObjectIdentifier: Viewer] = [:]

    /// An open page.
    private struct Viewer {
        let stream: EventStream
        /// The token in the browser's cookie.
        let token: String?
        /// The reader's time zone.
        let clocks: LocalZone
    }

    // For documents (`PageServer+Documents`): the thread that makes them, the last ones, the requests that wait
    // for one, and the timer that returns memory.
    var reader: EventLoop?
    let documents = DocumentCache()
    var pendingDocuments: [UInt64: HTTPExchange] = [:]
    var memoryTimer: LoopTimer?

    // For group operations (`PageServer+Operations`): their thread, the requests that wait for one, and the
    // last id of a waiting request.
    var worker: EventLoop?
    var pendingOperations: [UInt64: HTTPExchange] = [:]
    var lastRequestID: UInt64 = 0
    /// The handle that gives up joining; nil if this laptop isn't joining a group.
    var joining: Cancellation? {
        didSet { pages.isJoining = joining != nil }
    }

    /// A server that doesn't listen before the first link is made.
    package init(_ agent: PageContext, in context: ViewContext) {
        self.agent = agent
        device = agent.device
        self.context = context
        loop = agent.loop
        pages = PageDevice(
            agent.device, LoopTime(agent.loop), recordSuspension: agent.recordSuspension,
            announceChanges: agent.announceChanges, makesSound: agent.makesSound)
        pages.didChange = { [weak self] in self?.show($0) }
    }

    /// Listens again after a restart of the agent, at the same port, if a browser or a calendar program may
    /// come back.
    package func resume() {
        do {
            guard let stored = try PageSessions.stored(device.store),
                !stored.isEmpty(at: device.clocks.wall())
            else { return }
            try listen(at: stored.port, stored)
        } catch {
            agent.log(.cannotServePage(error))
        }
    }

    /// Returns a link that signs in one browser, once. Starts to listen if needed: at the last port, to which
    /// signed-in browsers return, or at any other port if that one is taken.
    package func link() -> PageLink {
        pageLink { "\(try address())/open?key=\(try keys.make(at: device.clocks.sinceBoot()))" }
    }

    /// Makes the calendar feed, and returns its address. If there is one already, replaces it, or only says
    /// so: its address can't be made from the stored hash.
    package func calendarAddress(renewing isRenewing: Bool) -> PageLink {
        pageLink {
            let server = try address()
            guard var changed = sessions, isRenewing || !changed.hasCalendar else { return nil }
            let secret = try changed.renewCalendar()
            try save(changed)
            return "\(server)/calendar/\(secret).ics"
        }
    }

    /// Returns the link that `make` makes, or the problem. Nil means that there is a calendar feed already.
    private func pageLink(_ make: () throws -> String?) -> PageLink {
        do {
            return try make().map(PageLink.link) ?? .hasCalendar
        } catch {
            return .problem(PageText.noLink(error, device.home))
        }
    }

    /// Starts to listen if needed, and returns the server's address.
    private func address() throws -> String { "http://127.0.0.1:\(try http?.port ?? listenAgain())" }

    /// Listens at the last server's port, or at any port if that one is taken. Returns the port.
    private func listenAgain() throws -> UInt16 {
        let stored = try PageSessions.stored(device.store)
        do {
            return try listen(at: stored?.port ?? 0, stored)
        } catch let error as NetError where stored != nil && error.code == .addressInUse {
            return try listen(at: 0, nil)
        }
    }

    @discardableResult
    private func listen(at port: UInt16, _ stored: PageSessions?) throws -> UInt16 {
        let http = try HTTPServer(port: port, headers: PageServer.headers, on: loop, handler: self)
        self.http = http
        origin = LoopbackOrigin(port: http.port)
        sessions = stored ?? PageSessions(port: http.port)
        agent.log(.servesPage(port: http.port))
        return http.port
    }

    /// Stops the server and ends all streams, because the agent ends.
    package func close() {
        http?.close()
        http = nil
        worker?.stop()
        reader?.stop()
        pages.unfollow()
    }

    /// Rereads the log, which may have changed, and this laptop's settings, which aren't part of the model.
    package func refresh() { pages.refresh() }

    /// Whether a browser shows the page.
    package var hasViewers: Bool { !viewers.isEmpty }

    /// The headers of each answer. They allow only the page's own files, forbid other sites to use the files,
    /// and forbid caching.
    private static let headers = [
        HTTPField(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        HTTPField("X-Content-Type-Options", "nosniff"), HTTPField("Referrer-Policy", "no-referrer"),
        HTTPField("Cache-Control", "no-store"), HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

// MARK: - Signing in and out

extension PageServer {
    /// The name of the cookie.
    private var cookie: String { "focus-\(http?.port ?? 0)" }

    /// Returns the token in the request's cookie if it is valid.
    private func token(of request: HTTPRequest) -> String? {
        let now = device.clocks.wall()
        return request.cookies(cookie).first { sessions?.admits($0, at: now) ?? false }
    }

    /// The header that makes the browser delete its cookie.
    private var expiredCookie: HTTPField { setCookie("", for: .zero) }

    private func setCookie(_ token: String, for lifetime: Duration = PageSessions.lifetime) -> HTTPField {
        // Cookies are shared by all ports of a host, so the name contains the port.
        HTTPField(
            "Set-Cookie",
            "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(lifetime.inSeconds)")
    }

    /// Signs out this browser, in all of its tabs.
    private func signOut(_ request: HTTPRequest) throws(PageError) -> HTTPResponse {
        guard let token = token(of: request), var stored = sessions else { return HTTPResponse(403) }
        stored.end(token, at: device.clocks.wall())
        try save(stored)
        endStreams()
        return HTTPResponse(204, headers: [expiredCookie])
    }

    /// Stores the changed sessions, and uses them from then on.
    private func save(_ changed: PageSessions) throws(PageError) {
        do throws(StoreError) { try changed.save(to: device.store) } catch {
            throw .device(.store(error, path: device.home.database))
        }
        sessions = changed
    }

    /// Signs out all browsers, invalidates unused links, and ends the calendar feed.
    package func forgetBrowsers() throws {
        keys = OneTimeKeys()
        guard var stored = try sessions ?? PageSessions.stored(device.store) else { return }
        stored.endAll()
        try stored.save(to: device.store)
        if sessions != nil { sessions = stored }
        endStreams()
    }

    /// Ends the streams of browsers that are no longer signed in.
    private func endStreams() {
        let now = device.clocks.wall()
        for viewer in viewers.values {
            let isLetIn = viewer.token.map { sessions?.admits($0, at: now) ?? false } ?? false
            if !isLetIn { viewer.stream.end() }
        }
    }

    /// Signs a browser in by the one-time key in its link, and redirects it to the page.
    private func open(_ request: HTTPRequest) -> HTTPResponse {
        let keys = request.query("key")
        guard keys.count == 1, let key = keys.first, self.keys.use(key, at: device.clocks.sinceBoot()) else {
            return .page(403, PageText.signInSentence)
        }
        do {
            guard let token = try sessions?.begin(at: device.clocks.wall()) else { return HTTPResponse(503) }
            try sessions?.save(to: device.store)
            return HTTPResponse(303, headers: [HTTPField("Location", "/"), setCookie(token)])
        } catch {
            agent.log(.failed(error))
            return HTTPResponse(503)
        }
    }

    private func page(_ asset: PageAsset, _ request: HTTPRequest) -> HTTPResponse {
        let appearance = (try? LaptopSetting.values(device.store)).map { Appearance($0) } ?? Appearance()
        var response = HTTPResponse(200, type: asset.contentType, asset.html(in: appearance))
        guard let token = token(of: request) else { return response }
        // Each time the page is opened, the session is extended.
        if sessions?.recordUse(of: token, at: device.clocks.wall()) ?? false {
            try? sessions?.save(to: device.store)
        }
        response.headers.append(setCookie(token))
        return response
    }
}

// MARK: - Requests

extension PageServer: HTTPHandler {
    /// Refuses a request for another host, from another origin, or with an unknown path or method. Also
    /// refuses a request without a needed sign-in or the calendar feed's secret, or with a POST body that
    /// isn't JSON (docs/page.md).
    package func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard origin?.admits(head) ?? false else {
            return HTTPResponse(.foreignOrigin, device.home)
        }
        guard let route = PageRoute(head.path) else { return .page(404, PageText.notFound) }
        if case .calendar(let secret) = route, !(sessions?.admitsCalendar(secret) ?? false) {
            return .page(404, PageText.notFound)
        }
        guard route.methods.contains(head.method) else {
            return .otherMethod(than: route.methods.joined(separator: ", "))
        }
        guard route.isPublic || token(of: head) != nil else {
            return route.isPage
                ? .page(403, PageText.signInSentence) : HTTPResponse(.notSignedIn, device.home)
        }
        if head.method == "POST", head.mediaType != "application/json" {
            return HTTPResponse(.notJSON, device.home)
        }
        return nil
    }

    /// Answers an admitted request. Documents and group operations are answered when they have finished, all
    /// other requests at once.
    package func answer(_ exchange: HTTPExchange) {
        do throws(PageError) { try handle(exchange) } catch {
            exchange.send(
                HTTPResponse(PageAnswer(error, device.home, by: exchange.request.forDevice.clocks)))
        }
    }

    private func handle(_ exchange: HTTPExchange) throws(PageError) {
        let request = exchange.request
        switch PageRoute(request.path) {
        case .open: exchange.send(open(request))
        case .page(let asset): exchange.send(page(asset, request))
        case .asset(let asset): exchange.send(HTTPResponse(200, type: asset.contentType, asset.bytes))
        case .calendar:
            try send({ (device, _) throws(PageError) in try PageCalendar.feed(device) }, to: exchange)
        case .events: try follow(exchange)
        case .device: try ask(request.forDevice, exchange)
        case .signOut: exchange.send(try signOut(request))
        case nil: exchange.send(.page(404, PageText.notFound))
        }
    }

    /// Passes a request on to the device.
    private func ask(_ request: PageRequest, _ exchange: HTTPExchange) throws(PageError) {
        switch try pages.step(request) {
        case .answer(let answer): exchange.send(HTTPResponse(answer))
        case .document(let maker): try send(maker, to: exchange)
        case .operation(let operation): try run(operation, for: exchange)
        case .giveUpJoining:
            joining?.giveUp()
            exchange.send(HTTPResponse(204))
        case .unknown: exchange.send(.page(404, PageText.notFound))
        }
    }

    /// Returns the response of `body`, or the response for its failure.
    func response(_ body: () throws(PageError) -> PageAnswer) -> HTTPResponse {
        do throws(PageError) { return HTTPResponse(try body()) } catch {
            return HTTPResponse(error, device.home)
        }
    }
}

// MARK: - The streams of states

extension PageServer {
    private func follow(_ exchange: HTTPExchange) throws(PageError) {
        let state = try pages.follow()
        let token = token(of: exchange.request)
        let clocks = exchange.request.forDevice.clocks
        guard let stream = exchange.stream() else { return unfollowIfUnseen() }
        let id = ObjectIdentifier(stream)
        viewers[id] = Viewer(stream: stream, token: token, clocks: clocks)
        stream.didEnd = { [weak self] in self?.removeViewer(id) }
        agent.pageOpened()
        stream.offer("state", "\(state.json(by: clocks))")
    }

    /// Forgets a page that was closed.
    private func removeViewer(_ id: ObjectIdentifier) {
        viewers[id] = nil
        unfollowIfUnseen()
    }

    /// Releases the model if nobody looks at the page any more.
    private func unfollowIfUnseen() {
        if viewers.isEmpty { pages.unfollow() }
    }

    /// Sends the state to all pages.
    private func show(_ state: PageState) {
        for viewer in viewers.values {
            viewer.stream.offer("state", "\(state.json(by: viewer.clocks))")
        }
    }
}

extension HTTPRequest {
    /// The body's media type without parameters; nil if there is none.
    fileprivate var mediaType: String? {
        headers("Content-Type").first?.split(separator: ";").first.map {
            $0.lowercased().split(separator: " ").joined()
        }
    }
}
