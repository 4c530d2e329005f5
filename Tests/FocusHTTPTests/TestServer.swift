import FocusHTTP
import FocusNet
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

        init(_ limits: HTTPLimits, on loop: EventLoop) throws {
            handler = Answering()
            http = try HTTPServer(
                port: 0, headers: [HTTPField("X-Each", "yes")], limits: limits, on: loop, handler: handler)
        }
    }

    init(_ limits: HTTPLimits = HTTPLimits()) throws {
        let loop = try EventLoop()
        self.loop = loop
        let (served, port) = try loop.waited {
            let served = try Served(limits, on: loop)
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

    /// Closes the server twice, because the second call must change nothing.
    func close() throws {
        try loop.waited { [served] in
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
/// two ends hold. `/later` waits until a test answers, `/stream` sends events, and `/never` is refused.
final class Answering: HTTPHandler {
    var waiting: [HTTPExchange] = [] { didSet { look() } }
    var streams: [EventStream] = [] { didSet { look() } }
    var closed = 0 { didSet { look() } }
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
        case "/later": waiting.append(exchange)
        case "/long": exchange.send(HTTPResponse(200, body: [UInt8](repeating: 0x78, count: 1 << 25)))
        case "/stream":
            guard let stream = exchange.stream() else { return }
            stream.didEnd = { [weak self] in self?.closed += 1 }
            stream.offer("hello", "1")
            streams.append(stream)
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
