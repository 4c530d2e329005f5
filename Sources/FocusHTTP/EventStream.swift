import CMicroHTTPD
import SystemKit

/// An answer that goes on (`text/event-stream`): events to a client for as long as it reads them.
///
/// Each event says all there is to know, so one that hasn't begun to be sent gives way to a newer one: a client that
/// reads slowly costs one event's memory. On the loop's thread only.
package final class EventStream {
    /// Called once, as the stream is over, whoever ended it.
    package var closed: (() -> Void)?
    /// The same, for the server.
    var ended: (() -> Void)?

    private let http: lockstep_http
    private let connection: OpaquePointer
    private weak let server: HTTPServer?
    private var sending: ArraySlice<UInt8> = []
    private var next: [UInt8]?
    /// Whether libmicrohttpd lets the connection rest until it is told to go on.
    private var isResting = false
    private var isEnding = false
    private var isOver = false

    init(_ connection: OpaquePointer, _ server: HTTPServer) {
        http = server.http
        self.connection = connection
        self.server = server
    }

    /// Sends an event of this name, whose data is one line of text.
    package func offer(_ name: String, _ line: String) {
        send(Array("event: \(name)\ndata: \(line)\n\n".utf8))
    }

    /// Says that the stream is alive, where nothing else is on its way.
    func keepAlive() {
        if sending.isEmpty, next == nil { send(Array(": \n\n".utf8)) }
    }

    private func send(_ bytes: [UInt8]) {
        guard !isOver, !isEnding else { return }
        next = bytes
        goOn()
    }

    /// Ends the stream once what was begun is sent. May be called twice.
    package func end() {
        isEnding = true
        goOn()
    }

    private func goOn() {
        guard isResting, !isOver else { return }
        isResting = false
        server?.resume(connection)
    }

    /// The answer that the stream is, for libmicrohttpd to queue; nil where there is no memory.
    func response() -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let response = http.MHD_create_response_from_callback(
            UInt64.max, 4096,
            { context, _, buffer, room in
                guard let context, let buffer else { return -1 }
                return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue().fill(buffer, room)
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue().leave()
            })
        if response == nil { context.release() }
        return response
    }

    /// Gives what there is to send, as much as there is room for. Minus one says that there is no more.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        if sending.isEmpty, let event = next {
            sending = event[...]
            next = nil
        }
        guard !sending.isEmpty else {
            if isEnding { return -1 }
            isResting = true
            http.MHD_suspend_connection(connection)
            return 0
        }
        let piece = sending.prefix(room)
        sending = sending.dropFirst(room)
        piece.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: room).copyMemory(from: bytes)
        }
        return piece.count
    }

    private func leave() {
        isOver = true
        ended?()
        closed?()
        (ended, closed) = (nil, nil)
    }
}
