import CMicroHTTPD
package import FocusNet
import SystemKit

/// A small HTTP/1.1 server, for one person's own pages on this machine's loopback, or for any client.
///
/// libmicrohttpd reads requests and writes responses, driven by the loop. It has no thread of its own, and
/// without a client it uses no time. Everything here is on the loop's thread. It serves until it is closed.
package final class HTTPServer {
    /// The port at which it listens.
    package let port: UInt16
    /// libmicrohttpd's functions.
    let http: lockstep_http
    /// The headers of every response.
    let headers: [HTTPField]
    /// The code that answers requests; nil once the server is closed.
    private(set) weak var handler: (any HTTPHandler)?

    /// Looks up the user of a client; nil if every client is served.
    private let owners: PeerOwner?
    private let loop: EventLoop
    private let limits: HTTPLimits
    private var daemon: OpaquePointer?
    /// Calls `work` when one of libmicrohttpd's sockets is ready.
    private var watch: DescriptorWatch?
    /// The timer for libmicrohttpd's next run if no socket is ready before.
    private var alarm: LoopTimer?
    /// Whether libmicrohttpd must run again at once, even if its own timeout is later.
    private var isDue = false
    /// The timer of a pause in which no client is served, because unwanted clients came.
    private var pauseEnd: LoopTimer?
    /// The present or last run of libmicrohttpd.
    private var turn = ServingTurn()
    private var isClosing = false
    /// The clients' open connections.
    private var visits: [OpaquePointer: ClientWait] = [:]
    /// The timer that closes connections with incomplete requests; nil without connections.
    private var waitChecks: LoopTimer?
    /// The exchanges that wait for their responses.
    private var suspended: [ObjectIdentifier: HTTPExchange] = [:]
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// The timer for the streams' signs of life; nil without streams.
    private var keepAlive: LoopTimer?

    /// The number of connections above `HTTPLimits.connections` that libmicrohttpd accepts, because closed
    /// ones take a moment to go.
    private static let spare: UInt32 = 16

    /// Listens at `port` of the audience's address; 0 means any free port.
    ///
    /// - Parameters:
    ///   - audience: The clients that it serves.
    ///   - headers: The headers of every response.
    ///   - handler: The code that answers requests. The server doesn't keep it alive.
    /// - Throws: `.noLibrary` if libmicrohttpd isn't installed, `.addressInUse`, `.badAddress`, or `.system`.
    package init(
        port: UInt16, for audience: HTTPAudience = .thisUser, headers: [HTTPField] = [],
        limits: HTTPLimits = HTTPLimits(), on loop: EventLoop, handler: any HTTPHandler
    ) throws(NetError) {
        http = try lockstep_http.opened()
        let socket = try ListeningSocket(.tcp(host: audience.host, port: port))
        guard case .tcp(_, let bound) = socket.endpoint else {
            throw NetError(.system, "listening gave no port")
        }
        self.port = bound
        owners = audience == .thisUser ? PeerOwner(listeningAt: bound) : nil
        self.headers = headers
        self.limits = limits
        self.loop = loop
        self.handler = handler
        daemon = lockstep_http_start(
            http, socket.number, limits.connections + HTTPServer.spare,
            UInt32(clamping: limits.patience.components.seconds),
            limits.head,
            { context, address, length in
                HTTPServer.of(context)?.admits(address, length) ?? false ? .YES : .NO
            },
            { context, connection, url, method, version, data, size, slot in
                guard let server = HTTPServer.of(context), let connection, let size, let slot else {
                    return .NO
                }
                let piece = UnsafeBufferPointer(start: data, count: size.pointee)
                size.pointee = 0
                return server.called(connection, url, method, version, piece, slot)
            },
            { context, connection, slot, _ in
                HTTPServer.of(context)?.completed(connection, slot)
            },
            { context, connection, _, event in
                guard let connection else { return }
                HTTPServer.of(context)?.connectionChanged(connection, event)
            }, Unmanaged.passUnretained(self).toOpaque())
        guard let daemon else { throw NetError(.system, "starting an HTTP server") }
        socket.giveAway()
        watch = try loop.watch(descriptor: lockstep_http_poll(http, daemon)) { [weak self] in
            self?.work(isReady: true)
        }
        work()
    }

    deinit { close() }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
        context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends all streams and responses, and stops listening. The handler must not call it while it answers.
    /// May be called twice.
    package func close() {
        guard let daemon else { return }
        handler = nil
        isClosing = true
        for stream in streams.values { stream.end() }
        for exchange in suspended.values { exchange.send(HTTPResponse(503)) }
        // Suspended connections resume and end.
        _ = http.MHD_run(daemon)
        _ = http.MHD_run(daemon)
        for timer in [alarm, pauseEnd, waitChecks, keepAlive] { timer?.cancel() }
        watch?.cancel()
        self.daemon = nil
        http.MHD_stop_daemon(daemon)
    }

    /// Runs libmicrohttpd once, and schedules its next run.
    ///
    /// - Parameter isReady: Whether one of its sockets is ready.
    private func work(isReady: Bool = false) {
        guard let daemon, pauseEnd == nil else { return }
        isDue = false
        turn = ServingTurn()
        let isIdle = visits.isEmpty
        _ = http.MHD_run(daemon)
        // A client waits, and the process has no descriptor for it. libmicrohttpd would try again at once.
        if isReady, isIdle, visits.isEmpty { turn.turnedAway() }
        if let length = turn.rest { pause(length) }
        var wait: UInt64 = 0
        let mayWait = http.MHD_get_timeout(daemon, &wait) == .YES
        workLater(isDue ? .zero : mayWait ? .milliseconds(Int64(clamping: wait)) : nil)
    }

    /// Serves no client for `length`, so that unwanted clients leave time for the other work of this thread.
    private func pause(_ length: Duration) {
        watch?.pause()
        pauseEnd = loop.schedule(after: length) { [weak self] in
            self?.pauseEnd = nil
            self?.watch?.resume()
            self?.work()
        }
    }

    /// Runs libmicrohttpd again after `wait`, or, if that is nil, only when a socket is ready.
    private func workLater(_ wait: Duration?) {
        alarm?.cancel()
        alarm = wait.map { wait in
            loop.schedule(after: wait) { [weak self] in self?.work() }
        }
    }

    /// Resumes a suspended connection. It continues at libmicrohttpd's next run.
    func resume(_ connection: OpaquePointer) {
        http.MHD_resume_connection(connection)
        workSoon()
    }

    /// Schedules a run for work that libmicrohttpd's timeout doesn't report.
    private func workSoon() {
        guard !isClosing else { return }
        if !isDue { workLater(.zero) }
        isDue = true
    }

    // MARK: - Requests

    /// Handles a call of libmicrohttpd for a request: first with its head, then with each piece of its body,
    /// last without a piece. `slot` has the exchange after the first call.
    private func called(
        _ connection: OpaquePointer, _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
        _ version: UnsafePointer<CChar>?, _ piece: UnsafeBufferPointer<CChar>,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let known = slot.pointee else {
            guard let url, let method, let version else { return .NO }
            let head = HTTPRequest(
                String(cString: method), String(cString: url),
                query: fields(of: connection, .GET_ARGUMENT_KIND),
                headers: fields(of: connection, .HEADER_KIND), version: String(cString: version))
            let exchange = HTTPExchange(
                head, connection, self, awaitedSince: visits[connection]?.isNewSince ?? .now)
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
            if let visit = visits[connection] { count(visit, head) }
            return refusal(of: head).map(exchange.respond) ?? .YES
        }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
        guard piece.isEmpty else { return exchange.take(piece, limit: limits.body) ? .YES : .NO }
        visits[connection]?.didReceiveRequest()
        return exchange.proceed()
    }

    /// Returns the response if the request is refused because of its head, or nil to read on.
    private func refusal(of head: HTTPRequest) -> HTTPResponse? {
        for name in ["Host", "Origin", "Content-Length", "Content-Type"] where head.headers(name).count > 1 {
            return HTTPResponse(400)
        }
        if let refusal = handler?.refusal(of: head) { return refusal }
        if !head.headers("Transfer-Encoding").isEmpty { return HTTPResponse(411) }
        guard let length = head.headers("Content-Length").first else {
            return head.method == "POST" ? HTTPResponse(411) : nil
        }
        guard let length = Int(length), length >= 0 else { return HTTPResponse(400) }
        return length > limits.body ? HTTPResponse(413) : nil
    }

    private func fields(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [HTTPField] {
        var fields: [HTTPField] = []
        withUnsafeMutablePointer(to: &fields) { fields in
            _ = http.MHD_get_connection_values_n(
                connection, kind,
                { context, _, name, nameLength, value, valueLength in
                    let text = { (start: UnsafePointer<CChar>?, count: Int) in
                        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
                    }
                    context?.assumingMemoryBound(to: [HTTPField].self).pointee.append(
                        HTTPField(text(name, nameLength), text(value, valueLength)))
                    return .YES
                }, fields)
        }
        return fields
    }

    /// Handles the end of a request: its response was sent, or the connection broke.
    private func completed(
        _ connection: OpaquePointer?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) {
        if let connection, let visit = visits[connection] {
            visit.beginAwaitingRequest()
            count(visit)
        }
        guard let slot, let known = slot.pointee else { return }
        slot.pointee = nil
        Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue().ended()
    }

    /// Adds or removes an exchange that waits for its response.
    func setWaiting(_ exchange: HTTPExchange, _ isWaiting: Bool) {
        suspended[ObjectIdentifier(exchange)] = isWaiting ? exchange : nil
    }

    // MARK: - Connections

    /// Whether a client at this address is served.
    private func admits(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Bool {
        guard let owners else { return true }
        // A costly lookup is skipped if this run has turned clients away and taken long (`mayRead`).
        if owners.isCheap || turn.mayRead, let address, let peer = PeerOwner.port(of: address, length),
            owners.isThisUser(from: peer)
        {
            return true
        }
        turn.turnedAway()
        return false
    }

    /// If there are too many connections, closes the one with the longest wait for its request or for taking
    /// the response.
    private func makeRoom() {
        if visits.count > Int(limits.connections) { closeSlowest(of: Array(visits.values)) }
    }

    /// Counts a connection for its client's address. If that has too many, closes the one of the others with
    /// the longest wait.
    ///
    /// - Parameter head: The request; nil before there is one, and after its response.
    /// - Returns: Whether it closed a connection.
    @discardableResult
    private func count(_ visit: ClientWait, _ head: HTTPRequest? = nil) -> Bool {
        guard let most = limits.connectionsPerAddress, visit.update(for: head, behind: limits.proxies) else {
            return false
        }
        let others = visits.values.filter { $0.block == visit.block && $0 !== visit }
        return others.count >= most && closeSlowest(of: others)
    }

    /// Closes the connection with the longest wait. Returns false if the server waits for none of them.
    @discardableResult
    private func closeSlowest(of some: [ClientWait]) -> Bool {
        let slow = some.compactMap { visit in visit.isSlowSince.map { (visit: visit, since: $0) } }
        guard let slowest = slow.min(by: { $0.since < $1.since }) else { return false }
        slowest.visit.hangUp()
        turn.turnedAway()
        return true
    }

    /// Records that the client on this connection has a response to take.
    func didQueueResponse(to connection: OpaquePointer) { visits[connection]?.didQueueResponse() }

    /// Forgets a connection that has another protocol now. Its socket is open under another descriptor, which
    /// hanging up would end too.
    func didUpgrade(_ connection: OpaquePointer) {
        visits[connection] = nil
        workSoon()
    }

    /// Handles the start or end of a connection.
    private func connectionChanged(_ connection: OpaquePointer, _ event: MHD_ConnectionNotificationCode) {
        if event == .CONNECTION_NOTIFY_STARTED {
            let visit = ClientWait(lockstep_http_socket(http, connection))
            visits[connection] = visit
            if !count(visit) { makeRoom() }
        } else {
            visits[connection] = nil
            // If libmicrohttpd was at its limit of connections, only its next run accepts further ones.
            workSoon()
        }
        if visits.isEmpty {
            waitChecks?.cancel()
            waitChecks = nil
        } else if waitChecks == nil {
            let patience = limits.patience
            waitChecks = loop.schedule(every: min(.seconds(2), patience / 4)) { [weak self] in
                self?.visits.values.forEach { $0.hangUp(after: patience) }
            }
        }
    }

    // MARK: - Streams

    /// Adds a stream to the server's streams.
    ///
    /// - Returns: Whether it was added. If not, there are too many, or the server is closed.
    func add(_ stream: EventStream) -> Bool {
        guard daemon != nil, streams.count < limits.streams else { return false }
        let id = ObjectIdentifier(stream)
        streams[id] = stream
        stream.removeFromServer = { [weak self] in self?.removeStream(id) }
        if keepAlive == nil {
            keepAlive = loop.schedule(every: limits.keepAlive) { [weak self] in
                self?.streams.values.forEach { $0.keepAlive() }
            }
        }
        return true
    }

    private func removeStream(_ id: ObjectIdentifier) {
        streams[id] = nil
        guard streams.isEmpty else { return }
        keepAlive?.cancel()
        keepAlive = nil
    }
}
