import CMicroHTTPD
import SystemKit

/// A request and its response, which may be sent later. On the loop's thread only.
package final class HTTPExchange {
    /// The request; complete when `HTTPHandler.answer` is called.
    package private(set) var request: HTTPRequest

    private let connection: OpaquePointer
    private unowned let server: HTTPServer
    private var state = State.reading

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
        /// libmicrohttpd sends the response, or the client has gone.
        case over
    }

    init(_ request: HTTPRequest, _ connection: OpaquePointer, _ server: HTTPServer) {
        self.request = request
        self.connection = connection
        self.server = server
    }

    /// Sends the response. Later calls have no effect.
    package func send(_ response: HTTPResponse) {
        switch state {
        case .asked: state = .answered(response)
        case .suspended:
            state = .answered(response)
            server.setWaiting(self, false)
            server.resume(connection)
        case .reading, .answered, .streaming, .over: break
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

    // MARK: - For the server

    /// Appends a piece of the body. Returns false if the body would be longer than `limit`.
    func take(_ piece: UnsafeBufferPointer<CChar>, limit: Int) -> Bool {
        guard piece.count <= limit - request.body.count else { return false }
        request.body.append(contentsOf: UnsafeRawBufferPointer(piece))
        return true
    }

    /// Calls the handler once the request is complete, and then either queues the response or suspends the
    /// connection. Called again when the connection resumes.
    func proceed() -> MHD_Result {
        if case .reading = state {
            state = .asked
            server.handler?.answer(self)
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
        case .reading, .suspended: return .YES
        case .over: return .NO
        }
    }

    /// Queues a response. If the request isn't complete yet, its rest isn't awaited.
    func respond(_ response: HTTPResponse) -> MHD_Result {
        let made = response.body.withUnsafeBytes { body in
            server.http.MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        server.didQueueResponse(to: connection)
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

/// The code that answers a server's requests. All calls come on the server's loop thread.
package protocol HTTPHandler: AnyObject {
    /// Returns the response if a request is refused because of its head, without reading its body. Returns
    /// nil to read on.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// Answers a request, at once or later.
    func answer(_ exchange: HTTPExchange)
}
