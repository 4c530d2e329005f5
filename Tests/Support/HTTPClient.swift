import Foundation
import Glibc

/// An HTTP/1.1 client on loopback that sends any bytes, well-formed or not.
package final class HTTPClient {
    /// A server's answer.
    package struct Answer {
        package let status: Int
        /// The headers by name, in lower case.
        package let headers: [String: String]
        package let body: String
    }

    /// The server did not answer as expected.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let descriptor: Int32
    private var received: [UInt8] = []
    /// The longest time that a test waits, in seconds. It is far longer than needed, so only a failing test
    /// waits for it.
    private static let patience = 60

    /// Connects to `port` on 127.0.0.1, from 127.0.0.`source` if that isn't nil.
    package init(port: UInt16, from source: UInt8? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var wait = timeval(tv_sec: HTTPClient.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        func call(
            _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ host: UInt8, _ port: UInt16
        ) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = (0x7F00_0000 + UInt32(host)).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        if let source { _ = call({ bind($0, $1, $2) }, source, 0) }
        guard call({ connect($0, $1, $2) }, 1, port) == 0 else {
            throw Failure(description: "nobody listens at port \(port)")
        }
    }

    deinit { close(descriptor) }

    /// Sends `text`. It is lost if the server has hung up.
    package func send(_ text: String) { send(bytes: Array(text.utf8)) }

    /// Sends `bytes`. They are lost if the server has hung up.
    package func send(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request with additional headers and reads the answer.
    package func ask(
        _ method: String, _ path: String, host: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"]
        lines += headers.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
        return try answer()
    }

    /// Reads an answer with its body.
    package func answer() throws -> Answer {
        let (status, headers) = try head()
        guard let length = headers["content-length"].flatMap({ Int($0) }) else {
            return Answer(status: status, headers: headers, body: "")
        }
        return Answer(
            status: status, headers: headers, body: String(decoding: try bytes(length), as: UTF8.self))
    }

    /// Reads the next `count` bytes.
    package func bytes(_ count: Int) throws -> [UInt8] {
        let limit = HTTPClient.limit
        while received.count < count { try receive(until: limit) }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// Reads an answer up to its body.
    package func head() throws -> (status: Int, headers: [String: String]) {
        let lines = try text(upTo: "\r\n\r\n").components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else {
            throw Failure(description: "no answer, but: \(lines[0])")
        }
        return (status, headers)
    }

    /// Reads until `end` arrives, and returns the text before it.
    package func text(upTo end: String) throws -> String {
        let limit = HTTPClient.limit
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let range = text.range(of: end) {
                received.removeFirst(text[..<range.upperBound].utf8.count)
                return String(text[..<range.lowerBound])
            }
            try receive(until: limit)
        }
    }

    /// Closes the sending side of the connection.
    package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits for the end of a chunked body.
    package func waitForEndOfStream() throws { _ = try text(upTo: "\r\n0\r\n\r\n") }

    /// Whether the server hangs up within `time`.
    package func hasHungUp(within time: Duration) throws -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, Int32(time / .milliseconds(1))) > 0 else { return false }
        do { try receive(until: HTTPClient.limit) } catch is HungUp { return true }
        return false
    }

    /// Waits until the server hangs up, and ignores what it sends before.
    package func waitForHangUp() throws {
        let limit = HTTPClient.limit
        while true { do { try receive(until: limit) } catch is HungUp { return } }
    }

    private struct HungUp: Error {}

    /// The instant at which a wait that begins now fails.
    private static var limit: ContinuousClock.Instant { .now + .seconds(patience) }

    private func receive(until limit: ContinuousClock.Instant) throws {
        guard ContinuousClock.now < limit else {
            throw Failure(description: "the server never says what is waited for")
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        // After a process was stopped and continued, a call returns `EINTR` once.
        if count < 0, errno == EINTR { return }
        if count < 0, errno == EAGAIN { throw Failure(description: "the server says nothing more") }
        guard count > 0 else { throw HungUp() }
        received += piece[..<count]
    }
}
