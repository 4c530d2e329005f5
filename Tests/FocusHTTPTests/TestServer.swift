import FocusHTTP
import FocusNet
import Glibc
import TestSupport

/// A server with answers for tests, on a loop of its own.
final class TestServer: Sendable {
    let port: UInt16
    let loop: EventLoop
    private let served: Served

    /// The server and its handler, which belong to the loop's thread.
    private final class Served: @unchecked Sendable {
        // Unchecked: it is used only on the loop's thread.
        let handler: Answering
        var http: HTTPServer?

        init(_ limits: HTTPLimits, for audience: HTTPAudience, on loop: EventLoop) throws {
            handler = Answering()
            http = try HTTPServer(
                port: 0, for: audience, headers: [HTTPField("X-Each", "yes")], limits: limits, on: loop,
                handler: handler)
        }
    }

    init(_ limits: HTTPLimits = HTTPLimits(), for audience: HTTPAudience = .thisUser) throws {
        let loop = try EventLoop()
        self.loop = loop
        let (served, port) = try loop.waited {
            let served = try Served(limits, for: audience, on: loop)
            return (served, served.http?.port ?? 0)
        }
        self.served = served
        self.port = port
    }

    deinit {
        loop.run { [served, loop] in
            served.http?.close()
            served.http = nil
            loop.stop()
        }
        loop.wait()
    }

    var host: String { "127.0.0.1:\(port)" }

    func client() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Runs `body` on the loop, so that the server sees no client meanwhile, and closes the server. Closes
    /// it twice, because the second call must change nothing.
    func close(after body: @escaping @Sendable () throws -> Void = {}) throws {
        try loop.waited { [served] in
            try body()
            served.http?.close()
            served.http?.close()
        }
    }

    /// Runs `body` with the handler, on its loop.
    func handling<Result: Sendable>(_ body: @escaping @Sendable (Answering) throws -> Result) throws -> Result
    {
        try loop.waited { [served] in try body(served.handler) }
    }
}

extension TestServer {
    /// Waits until `holds` returns true for the handler.
    func wait(for what: String, until holds: @escaping @Sendable (Answering) -> Bool) throws {
        let came = Box<Void>()
        try handling { handler in
            handler.watch { handler in
                guard holds(handler) else { return false }
                came.set(())
                return true
            }
        }
        try came.wait(for: what)
    }
}

/// The handler of the test server. `/echo` returns the body, and `/long` more than the buffers between the
/// two ends hold. `/later` waits until a test answers, `/stream` sends events, `/upgrade` hands the socket
/// over, and `/never` is refused. `/age` returns the request's age in milliseconds.
final class Answering: HTTPHandler {
    var waiting: [HTTPExchange] = [] { didSet { look() } }
    var streams: [EventStream] = [] { didSet { look() } }
    var closed = 0 { didSet { look() } }
    /// The sockets that were handed over, each duplicated, with the bytes behind the request.
    var upgraded: [(socket: Int32, early: [UInt8])] = [] { didSet { look() } }
    /// The closures to call at each change, until they return true.
    private var watches: [(Answering) -> Bool] = []

    /// Adds a closure, and calls it at once.
    func watch(_ isOver: @escaping (Answering) -> Bool) {
        watches.append(isOver)
        look()
    }

    private func look() { watches.removeAll { $0(self) } }

    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        head.path == "/never" ? HTTPResponse(403) : nil
    }

    func answer(_ exchange: HTTPExchange) {
        let request = exchange.request
        switch request.path {
        case "/echo": exchange.send(HTTPResponse(200, type: "text/plain", request.body))
        case "/age":
            let text = "\(exchange.age / .milliseconds(1))"
            exchange.send(HTTPResponse(200, type: "text/plain", Array(text.utf8)))
        case "/later": waiting.append(exchange)
        case "/long": exchange.send(HTTPResponse(200, body: [UInt8](repeating: 0x78, count: 1 << 25)))
        case "/stream":
            guard let stream = exchange.stream() else { return }
            stream.didEnd = { [weak self] in self?.closed += 1 }
            stream.offer("hello", "1")
            streams.append(stream)
        case "/upgrade":
            exchange.upgrade(HTTPResponse(101, headers: [HTTPField("Upgrade", "test")])) {
                [weak self] socket, early in
                self?.upgraded.append((dup(socket), early))
            }
        default: exchange.send(HTTPResponse(404))
        }
    }
}

extension EventLoop {
    /// Runs `body` on the loop and waits for its result.
    func waited<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let box = Box<Swift.Result<Result, any Error>>()
        run { box.set(Swift.Result { try body() }) }
        return try box.wait(for: "the loop does what it is given").get()
    }
}
