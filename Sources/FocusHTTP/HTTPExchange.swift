import CMicroHTTPD
import SystemKit

/// A request and its response, which may be sent later. On the loop's thread only.
package final class HTTPExchange {
    /// The request; complete when `HTTPHandler.answer` is called.
    package private(set) var request: HTTPRequest

    private let connection: OpaquePointer
    private unowned let server: HTTPServer
    private let awaitedSince: ContinuousClock.Instant
    private var state = State.reading

    /// The greatest length of a body, in bytes, of which libmicrohttpd gets a copy.
    private static let copyLimit = 64 << 10

    private enum State {
        /// The request is being read.
        case reading
        /// The handler was called.
        case asked
        /// libmicrohttpd has suspended the connection until there is a response.
        case suspended
        /// There is a response, which libmicrohttpd doesn't have yet.
        case answered(HTTPResponse)
        /// There is a stream, which libmicrohttpd doesn't have yet.
        case streaming(EventStream)
        /// There is a response, and the client's socket is handed over after it is sent.
        case upgrading(HTTPResponse, (Int32, [UInt8]) -> Void)
        /// libmicrohttpd sends the response, or the client has gone.
        case over
    }

    init(
        _ request: HTTPRequest, _ connection: OpaquePointer, _ server: HTTPServer,
        awaitedSince: ContinuousClock.Instant
    ) {
        self.request = request
        self.connection = connection
        self.server = server
        self.awaitedSince = awaitedSince
    }

    /// The time since the client connected. For its later requests, the time since the request's head arrived,
    /// because a proxy's connection may be idle between two requests.
    package var age: Duration { awaitedSince.duration(to: .now) }

    /// Sends the response. Later calls have no effect.
    package func send(_ response: HTTPResponse) {
        switch state {
        case .asked: state = .answered(response)
        case .suspended:
            state = .answered(response)
            server.setWaiting(self, false)
            server.resume(connection)
        case .reading, .answered, .streaming, .upgrading, .over: break
        }
    }

    /// Starts a response of events, which lasts until the client goes or the stream is ended. Returns nil if
    /// there are too many streams already; the response is then 503. Only `HTTPHandler.answer` itself may
    /// call it, not later code.
    package func stream() -> EventStream? {
        guard case .asked = state else { return nil }
        let stream = EventStream(connection, server)
        guard server.add(stream) else {
            state = .answered(HTTPResponse(503))
            return nil
        }
        state = .streaming(stream)
        return stream
    }

    /// Sends the response (101), and then hands the client's socket over: the connection has another protocol
    /// from then on. Only `HTTPHandler.answer` itself may call it, not later code.
    ///
    /// - Parameter begin: Called once the response is sent, with the socket's descriptor, which is closed
    ///   after the call, and the bytes that arrived behind the request.
    package func upgrade(_ response: HTTPResponse, _ begin: @escaping (Int32, [UInt8]) -> Void) {
        if case .asked = state { state = .upgrading(response, begin) }
    }

    // MARK: - For the server

    /// Appends a piece of the body. Returns false if the body would be longer than `limit`.
    func take(_ piece: UnsafeBufferPointer<CChar>, limit: Int) -> Bool {
        guard piece.count <= limit - request.body.count else { return false }
        request.body.append(contentsOf: UnsafeRawBufferPointer(piece))
        return true
    }

    /// Calls the handler once the request is complete, and then either queues the response or suspends the
    /// connection. Called again when the connection resumes. Ends the connection if the server is closing,
    /// because nobody would resume it, and libmicrohttpd aborts the process if one is left suspended.
    func proceed() -> MHD_Result {
        if case .reading = state {
            guard let handler = server.handler else { return .NO }
            state = .asked
            handler.answer(self)
        }
        switch state {
        case .asked:
            state = .suspended
            server.setWaiting(self, true)
            server.http.MHD_suspend_connection(connection)
            return .YES
        case .answered(let response):
            state = .over
            return respond(response)
        case .streaming(let stream):
            state = .over
            return queue(
                stream.response(), 200, [HTTPField("Content-Type", "text/event-stream; charset=utf-8")])
        case .upgrading(let response, _):
            server.didQueueResponse(to: connection)
            return queue(upgradeResponse(), response.status, response.headers)
        case .reading, .suspended: return .YES
        case .over: return .NO
        }
    }

    /// Makes the response after which libmicrohttpd passes the socket on. Returns nil if there is no memory.
    private func upgradeResponse() -> OpaquePointer? {
        server.http.MHD_create_response_for_upgrade(
            { _, _, slot, early, count, socket, handle in
                guard let slot, let handle else { return }
                Unmanaged<HTTPExchange>.fromOpaque(slot).takeUnretainedValue().handOver(
                    socket, UnsafeRawBufferPointer(start: early, count: count), handle)
            }, nil)
    }

    /// Hands over the client's socket, to which the response was sent.
    private func handOver(_ socket: Int32, _ early: UnsafeRawBufferPointer, _ handle: OpaquePointer) {
        server.didUpgrade(connection)
        if case .upgrading(_, let begin) = state, server.handler != nil { begin(socket, Array(early)) }
        state = .over
        lockstep_http_end_upgrade(server.http, handle)
    }

    /// Queues a response. If the request isn't complete yet, its rest isn't awaited.
    func respond(_ response: HTTPResponse) -> MHD_Result {
        server.didQueueResponse(to: connection)
        guard response.body.count <= HTTPExchange.copyLimit else {
            return queue(
                LongBody(response.body).response(server.http), response.status, response.headers)
        }
        let made = response.body.withUnsafeBytes { body in
            server.http.MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        return queue(made, response.status, response.headers)
    }

    private func queue(_ response: OpaquePointer?, _ status: UInt32, _ headers: [HTTPField]) -> MHD_Result {
        guard let response else { return .NO }
        defer { server.http.MHD_destroy_response(response) }
        for header in server.headers + headers {
            _ = server.http.MHD_add_response_header(response, header.name, header.value)
        }
        return server.http.MHD_queue_response(connection, status, response)
    }

    /// Handles the end of the exchange: nothing more is sent to the client.
    func ended() {
        if case .suspended = state { server.setWaiting(self, false) }
        state = .over
    }
}

/// A body that is sent from its array, so that all responses with the same array share its memory.
private final class LongBody {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a response with this body, or nil if there is no memory.
    func response(_ http: lockstep_http) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let response = http.MHD_create_response_from_callback(
            UInt64(bytes.count), 32_768,
            { context, place, buffer, room in
                guard let context, let buffer else { return -1 }
                return Unmanaged<LongBody>.fromOpaque(context).takeUnretainedValue().copy(
                    from: place, to: UnsafeMutableRawBufferPointer(start: buffer, count: room))
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<LongBody>.fromOpaque(context).release()
            })
        if response == nil { context.release() }
        return response
    }

    /// Copies the bytes from `place` on, as many as there is room for. Returns their number.
    private func copy(from place: UInt64, to room: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes.dropFirst(Int(clamping: place)).prefix(room.count)
        piece.withUnsafeBytes { room.copyMemory(from: $0) }
        return piece.count
    }
}

/// The code that answers a server's requests. All calls come on the server's loop thread.
package protocol HTTPHandler: AnyObject {
    /// Returns the response if a request is refused because of its head, without reading its body. Returns
    /// nil to read on.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// Answers a request, at once or later.
    func answer(_ exchange: HTTPExchange)
}
