import CommandLineKit
package import FocusAgent
import FocusCore
import FocusDevice
package import FocusFront
package import FocusHTTP
import FocusLink
import FocusNet
import FocusStore
import FocusText
import FocusWords

/// Serves the page to this laptop's browsers, as part of the agent (docs/page.md).
///
/// It listens from the first `focus web` on, and again as the agent starts while there are browsers that were let in.
/// As long as nobody looks it does nothing. It lives on the agent's loop.
package final class PageServer: AgentPage, @unchecked Sendable {
    // Unchecked: everything is touched on the loop's thread alone; errands come back there by `EventLoop.run`.

    let device: Device
    let context: ViewContext
    let loop: EventLoop
    private let log: (AgentLogEvent) -> Void
    let lookForSleep: () -> Void
    private let tellOthers: () -> Void
    private let someoneLooks: () -> Void
    let returnMemory: () -> Void
    private var http: HTTPServer?
    private var origin: LoopbackOrigin?
    private var keys = PageKeys()
    private var sessions: PageSessions?

    // What is shown, while somebody looks.
    private var model: DeviceModel?
    private var following: Following?
    private var viewers: [ObjectIdentifier: Viewer] = [:]
    private var shown: PageState?

    /// An open page.
    private struct Viewer {
        let stream: EventStream
        /// What its browser's cookie holds.
        let token: String?
    }

    // Where documents are made: PageServer+Documents.
    var reader: EventLoop?
    var reading: [UInt64: HTTPExchange] = [:]
    var givingBack: LoopTimer?

    // What asks the server, and takes its time: PageServer+Errands.
    var worker: EventLoop?
    var errands: [UInt64: HTTPExchange] = [:]
    var lastErrand: UInt64 = 0
    /// By what joining is given up; nil where this laptop isn't at it.
    var joining: GivingUp? {
        didSet { show() }
    }

    /// Serves nobody until the first link is made.
    package init(_ surroundings: PageSurroundings, in context: ViewContext) {
        device = surroundings.device
        self.context = context
        loop = surroundings.loop
        log = surroundings.log
        lookForSleep = surroundings.lookForSleep
        tellOthers = surroundings.tellOthers
        someoneLooks = surroundings.someoneLooks
        returnMemory = surroundings.returnMemory
    }

    /// Listens again where it did before the agent was started anew, as long as some browser may come back.
    package func resume() {
        do {
            guard let kept = try PageSessions.kept(device.store), !kept.isEmpty(at: device.clocks.wall())
            else { return }
            try listen(at: kept.port, kept)
        } catch {
            log(.cannotServePage(error))
        }
    }

    /// A link that lets one browser in, once. Listens first where it doesn't yet: at the port of the time before, by
    /// which browsers that were let in come back, and at any other where that is taken.
    package func link() -> PageLink {
        do {
            return .link(try makeLink())
        } catch {
            return .problem(PageText.noLink(error, device.home))
        }
    }

    private func makeLink() throws -> String {
        let port = try http?.port ?? listenAgain()
        return "http://127.0.0.1:\(port)/open?key=\(try keys.make(at: device.clocks.sinceBoot()))"
    }

    private func listenAgain() throws -> UInt16 {
        let kept = try PageSessions.kept(device.store)
        do {
            return try listen(at: kept?.port ?? 0, kept)
        } catch let error as NetError where kept != nil && error.code == .addressInUse {
            return try listen(at: 0, nil)
        }
    }

    @discardableResult
    private func listen(at port: UInt16, _ kept: PageSessions?) throws -> UInt16 {
        let http = try HTTPServer(port: port, headers: PageServer.headers, on: loop, handler: self)
        self.http = http
        origin = LoopbackOrigin(port: http.port)
        sessions = kept ?? PageSessions(port: http.port)
        log(.servesPage(port: http.port))
        return http.port
    }

    /// The agent ends: so do all streams.
    package func close() {
        http?.close()
        http = nil
        worker?.stop()
        reader?.stop()
        rest()
    }

    /// The log may have changed.
    package func refresh() { model?.refresh() }

    /// Whether a browser shows the page.
    package var isLookedAt: Bool { !viewers.isEmpty }

    /// With each answer: nothing but the page's own files, from nowhere else, kept by nobody.
    private static let headers = [
        HTTPField(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        HTTPField("X-Content-Type-Options", "nosniff"), HTTPField("Referrer-Policy", "no-referrer"),
        HTTPField("Cache-Control", "no-store"), HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

// MARK: - Who is let in

extension PageServer {
    private var cookie: String { "focus-\(http?.port ?? 0)" }

    /// What the request's cookie holds, where that lets it in.
    private func token(of request: HTTPRequest) -> String? {
        let now = device.clocks.wall()
        return request.cookies(cookie).first { sessions?.admits($0, at: now) ?? false }
    }

    private func setting(_ token: String) -> HTTPField {
        setting(token, for: PageSessions.lifetime)
    }

    /// Has the browser throw its cookie away.
    private var expired: HTTPField { setting("", for: .zero) }

    private func setting(_ token: String, for lifetime: Duration) -> HTTPField {
        // Cookies don't tell ports apart, so the name does.
        HTTPField(
            "Set-Cookie",
            "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(lifetime.inSeconds)")
    }

    /// Ends what this browser was let in by, in all of its tabs.
    private func signOut(_ request: HTTPRequest) throws(PageFailure) -> HTTPResponse {
        guard let token = token(of: request), var kept = sessions else { return HTTPResponse(403) }
        kept.end(token, at: device.clocks.wall())
        do throws(StoreError) { try kept.save(to: device.store) } catch {
            throw .device(.store(error, path: device.home.database))
        }
        sessions = kept
        endStreams()
        return HTTPResponse(204, headers: [expired])
    }

    /// Ends what all browsers were let in by, and links that nobody has used yet.
    package func forgetBrowsers() throws {
        keys = PageKeys()
        guard var kept = try sessions ?? PageSessions.kept(device.store) else { return }
        kept.endAll()
        try kept.save(to: device.store)
        if sessions != nil { sessions = kept }
        endStreams()
    }

    /// Ends the streams of those who aren't let in any more.
    private func endStreams() {
        let now = device.clocks.wall()
        for viewer in viewers.values {
            let isLetIn = viewer.token.map { sessions?.admits($0, at: now) ?? false } ?? false
            if !isLetIn { viewer.stream.end() }
        }
    }

    private func open(_ request: HTTPRequest) -> HTTPResponse {
        let keys = request.query("key")
        guard keys.count == 1, let key = keys.first, self.keys.use(key, at: device.clocks.sinceBoot()) else {
            return .page(403, PageText.comeAgain)
        }
        do {
            guard let token = try sessions?.begin(at: device.clocks.wall()) else { return HTTPResponse(503) }
            try sessions?.save(to: device.store)
            return HTTPResponse(303, headers: [HTTPField("Location", "/"), setting(token)])
        } catch {
            log(.failed(error))
            return HTTPResponse(503)
        }
    }

    private func page(_ asset: PageAsset, _ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(200, type: asset.contentType, asset.bytes)
        guard let token = token(of: request) else { return response }
        // Each time the page is opened it is good for another while.
        if sessions?.noteUse(of: token, at: device.clocks.wall()) ?? false {
            try? sessions?.save(to: device.store)
        }
        response.headers.append(setting(token))
        return response
    }
}

// MARK: - What is asked for

extension PageServer: HTTPHandler {
    /// Turns away what isn't for this page or comes from another one, isn't signed in where that is needed, or asks for
    /// something to be done in another form than JSON (docs/page.md).
    package func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard origin?.admits(head) ?? false else {
            return HTTPResponse(.foreign, device.home)
        }
        guard let route = PageRoute(head.path) else { return .page(404, PageText.notFound) }
        guard route.method == head.method else { return .otherMethod(than: route.method) }
        guard route.isOpen || token(of: head) != nil else {
            return route.isPage
                ? .page(403, PageText.comeAgain) : HTTPResponse(.notSignedIn, device.home)
        }
        if head.method == "POST", head.mediaType != "application/json" {
            return HTTPResponse(.otherForm, device.home)
        }
        return nil
    }

    /// Answers what was let in: most at once, and what asks the group's server once that is done.
    package func answer(_ exchange: HTTPExchange) {
        do throws(PageFailure) { try take(exchange) } catch {
            exchange.send(HTTPResponse(error, device.home))
        }
    }

    private func take(_ exchange: HTTPExchange) throws(PageFailure) {
        let request = exchange.request
        switch PageRoute(request.path) {
        case .open: exchange.send(open(request))
        case .page(let asset): exchange.send(page(asset, request))
        case .asset(let asset): exchange.send(HTTPResponse(200, type: asset.contentType, asset.bytes))
        case .events: try follow(exchange)
        case .press: exchange.send(try press(request.body))
        case .log: try send(try PageDocuments.log(request), to: exchange)
        case .statistics: try send(try PageDocuments.statistics(request), to: exchange)
        case .devices: exchange.send(.document(try PageDocuments.devices(device)))
        case .device: try change(exchange)
        case .invite: try invite(exchange)
        case .join: try join(exchange)
        case .leave: try leave(exchange)
        case .signOut: exchange.send(try signOut(request))
        case nil: exchange.send(.page(404, PageText.notFound))
        }
    }

    /// What comes of something that may fail.
    func response(_ body: () throws(PageFailure) -> HTTPResponse) -> HTTPResponse {
        do throws(PageFailure) { return try body() } catch { return HTTPResponse(error, device.home) }
    }
}

// MARK: - What is shown

extension PageServer {
    /// The model, which is there as long as somebody looks, or presses.
    func currentModel() throws(PageFailure) -> DeviceModel {
        if let model { return model }
        return try failing(PageFailure.device) { () throws(DeviceFailure) in
            try DeviceModel(device, LoopTime(loop)) { [weak self] in self?.tellOthers() }
        }
    }

    private func follow(_ exchange: HTTPExchange) throws(PageFailure) {
        let model = try currentModel()
        let token = token(of: exchange.request)
        guard let stream = exchange.stream() else { return }
        self.model = model
        let id = ObjectIdentifier(stream)
        viewers[id] = Viewer(stream: stream, token: token)
        stream.closed = { [weak self] in self?.left(id) }
        someoneLooks()
        if following == nil {
            following = Following(LoopTime(loop)) { [weak self] in self?.show() }
        }
        stream.offer("state", "\(try state(of: model).json)")
    }

    private func left(_ id: ObjectIdentifier) {
        viewers[id] = nil
        if viewers.isEmpty { rest() }
    }

    /// Nobody looks any more.
    private func rest() {
        following?.cancel()
        (following, model, shown) = (nil, nil, nil)
    }

    /// Tells all pages where they would show something else by themselves.
    func show() {
        guard let model else { return }
        // What is read here brings it here again.
        _ = (model.presentation, model.status, model.failure)
        guard let state = try? state(of: model), !(shown.map(state.isShown) ?? false) else { return }
        shown = state
        let text = "\(state.json)"
        for viewer in viewers.values { viewer.stream.offer("state", text) }
    }

    private func state(of model: DeviceModel) throws(PageFailure) -> PageState {
        try failing(PageFailure.device) { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) in
                let now = try device.now()
                let own = try LaptopSetting.on(device.store)
                let status = model.status.at(now)
                return PageState(
                    status, on: own, troubles: try device.troubles(status.state, at: now),
                    isJoining: joining != nil,
                    problem: model.failure?.explanation,
                    awake: device.clocks.awake()
                )
            }
        }
    }
}

extension HTTPRequest {
    /// The type of the body, without what may stand behind it; nil where none is given.
    fileprivate var mediaType: String? {
        headers("Content-Type").first?.split(separator: ";").first.map {
            $0.lowercased().split(separator: " ").joined()
        }
    }
}
