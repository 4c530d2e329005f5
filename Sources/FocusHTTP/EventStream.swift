import CMicroHTTPD
import SystemKit

/// A response that continues (`text/event-stream`): events to a client for as long as it reads them.
///
/// Each event contains the complete state, so a newer event replaces one that isn't being sent yet. A slow
/// client therefore keeps at most two events in memory. On the loop's thread only.
package final class EventStream {
    /// Called once, when either side has ended the stream.
    package var didEnd: (() -> Void)?
    /// Removes the stream from its server. Called once, just before `didEnd`.
    var removeFromServer: (() -> Void)?

    private let http: lockstep_http
    private let connection: OpaquePointer
    private weak let server: HTTPServer?
    /// The rest of the event that is being sent.
    private var sending: ArraySlice<UInt8> = []
    /// The event to send next; nil if there is none.
    private var next: [UInt8]?
    /// Whether the connection is suspended in libmicrohttpd, because there is nothing to send.
    private var isSuspended = false
    /// Whether the stream ends after the event that is being sent.
    private var isEnding = false
    /// Whether either side has ended the stream.
    private var isOver = false

    init(_ connection: OpaquePointer, _ server: HTTPServer) {
        http = server.http
        self.connection = connection
        self.server = server
    }

    /// Sends an event of this name with one line of text as its data.
    package func offer(_ name: String, _ line: String) {
        send(Array("event: \(name)\ndata: \(line)\n\n".utf8))
    }

    /// Sends a comment as a sign of life, unless an event is being sent or waits.
    func keepAlive() {
        if sending.isEmpty, next == nil { send(Array(": \n\n".utf8)) }
    }

    private func send(_ bytes: [UInt8]) {
        guard !isOver, !isEnding else { return }
        next = bytes
        resumeIfSuspended()
    }

    /// Ends the stream once the event in progress is sent. May be called twice.
    package func end() {
        isEnding = true
        resumeIfSuspended()
    }

    private func resumeIfSuspended() {
        guard isSuspended, !isOver else { return }
        isSuspended = false
        server?.resume(connection)
    }

    /// Returns the stream's response for libmicrohttpd to queue, or nil if there is no memory.
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
                Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue().handleEnd()
            })
        if response == nil { context.release() }
        return response
    }

    /// Copies the next bytes to send into `buffer`.
    ///
    /// - Returns: The number of bytes; 0 if the connection was suspended because there are none; -1 at the
    ///   stream's end.
    private func fill(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        if sending.isEmpty, let event = next {
            sending = event[...]
            next = nil
        }
        guard !sending.isEmpty else {
            if isEnding { return -1 }
            isSuspended = true
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

    private func handleEnd() {
        isOver = true
        removeFromServer?()
        didEnd?()
        (removeFromServer, didEnd) = (nil, nil)
    }
}
