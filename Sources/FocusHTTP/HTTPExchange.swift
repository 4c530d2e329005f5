import CMicroHTTPD
import SystemKit

/// A request and its answer, which may come later. On the loop's thread only.
package final class HTTPExchange {
    /// What is asked for; whole by the time that `HTTPHandler.answer` is called.
    package private(set) var request: HTTPRequest

    private let connection: OpaquePointer
    private unowned let server: HTTPServer
    private var state = State.reading

    private enum State {
        /// The request comes in.
        case reading
        /// The handler has been asked.
        case asked
        /// libmicrohttpd lets the connection rest until there is an answer.
        case resting
        case answered(HTTPResponse)
        case streaming(EventStream)
        /// The answer is libmicrohttpd's to send, or the client has gone.
        case over
    }

    init(_ request: HTTPRequest, _ connection: OpaquePointer, _ server: HTTPServer) {
        self.request = request
        self.connection = connection
        self.server = server
    }

    /// Answers. What comes after the first answer counts for nothing.
    package func send(_ response: HTTPResponse) {
        switch state {
        case .asked: state = .answered(response)
        case .resting:
            state = .answered(response)
            server.rests(self, false)
            server.resume(connection)
        case .reading, .answered, .streaming, .over: break
        }
    }

    /// Answers with events, from now until the client goes or the stream is ended; nil where there are too many
    /// streams already, which is the answer then. To be called by `HTTPHandler.answer` itself, not later.
    package func stream() -> EventStream? {
        guard case .asked = state else { return nil }
        let stream = EventStream(connection, server)
        guard server.admits(stream) else {
            state = .answered(HTTPResponse(503))
            return nil
        }
        state = .streaming(stream)
        return stream
    }

    // MARK: - What the server does with it

    /// Takes a piece of the body; false where it is longer than it may be.
    func take(_ piece: UnsafeBufferPointer<CChar>, limit: Int) -> Bool {
        guard piece.count <= limit - request.body.count else { return false }
        request.body.append(contentsOf: UnsafeRawBufferPointer(piece))
        return true
    }

    /// The request is whole, or there is an answer where there was none before.
    func proceed() -> MHD_Result {
        if case .reading = state {
            state = .asked
            server.handler?.answer(self)
        }
        switch state {
        case .asked:
            state = .resting
            server.rests(self, true)
            server.http.MHD_suspend_connection(connection)
            return .YES
        case .answered(let response):
            state = .over
            return refuse(response)
        case .streaming(let stream):
            state = .over
            return queue(
                stream.response(), 200, [HTTPField("Content-Type", "text/event-stream; charset=utf-8")])
        case .reading, .resting: return .YES
        case .over: return .NO
        }
    }

    /// Answers whatever else the client has to say.
    func refuse(_ response: HTTPResponse) -> MHD_Result {
        let made = response.body.withUnsafeBytes { body in
            server.http.MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        server.hasAnswer(connection)
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

    /// Nothing goes to the client any more.
    func ended() {
        if case .resting = state { server.rests(self, false) }
        state = .over
    }
}

/// Whoever answers a server's requests. All calls come on its loop's thread.
package protocol HTTPHandler: AnyObject {
    /// Why a request isn't read any further, told by its head alone; nil where it is.
    func refusal(of head: HTTPRequest) -> HTTPResponse?
    /// Answers a request, at once or later.
    func answer(_ exchange: HTTPExchange)
}
