import FocusCore
import Foundation
import Glibc
import TestSupport

/// A chromium-driver process that drives a browser. It takes HTTP requests on loopback with JSON (W3C
/// WebDriver).
final class WebDriver {
    private let process: RunningProgram
    private let port: UInt16

    /// Starts the driver and waits until it listens.
    init(in folder: TemporaryFolder, _ variables: [String: String]) throws {
        let program = Program(path: "/usr/bin/chromedriver")
        for path in [program.path, WebDriver.browser]
        where !FileManager.default.isExecutableFile(atPath: path) {
            throw Unmet("\(path) is missing, which the page's tests use: scripts/setup --tests installs it")
        }
        let process = try program.start(
            ["--port=0"], variables, in: folder, log: folder.fresh("messages"))
        self.process = process
        let sentence = "was started successfully on port "
        port = try awaited(
            "the browser's driver says its port; it said: \(process.output)\(process.messages)"
        ) {
            guard process.isRunning else { throw Unmet("chromedriver ended: \(process.messages)") }
            guard let found = process.output.range(of: sentence) else { return nil }
            let digits = process.output[found.upperBound...].prefix { $0.isNumber }
            return process.output[found.upperBound...].contains("\n") ? UInt16(digits) : nil
        }
    }

    static let browser = "/usr/bin/chromium"

    deinit { process.signal(SIGTERM) }

    /// Ends the driver and waits until it has ended.
    func end() throws {
        process.signal(SIGTERM)
        try process.wait()
    }

    /// Sends a request and returns the value of the answer.
    ///
    /// - Throws: `Unmet` with the driver's message if the request fails.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any {
        let content = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n"
        let answer = try exchange(Data(head.utf8) + content)
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        let value = object?["value"] ?? NSNull()
        if let error = value as? [String: Any], let kind = error["error"] as? String {
            throw Unmet("the browser, at \(method) \(path): \(kind): \(error["message"] ?? "")")
        }
        return value
    }

    /// Sends a request and returns the body of the answer.
    private func exchange(_ request: Data) throws -> Data {
        guard let socket = LoopbackSocket(connectedTo: port) else { throw Unmet("the driver doesn't listen") }
        var limit = timeval(tv_sec: Int(patience.seconds), tv_usec: 0)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var rest = [UInt8](request)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else {
                throw Unmet("the driver takes no request: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(sent)
        }
        var received = Data()
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            if let body = WebDriver.body(of: received) { return body }
            let count = recv(socket.descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                throw Unmet("the driver didn't answer whole within \(patience.inSeconds) s")
            }
            received.append(contentsOf: chunk[..<count])
        }
    }

    /// The body of an answer, or nil if the answer isn't complete yet.
    private static func body(of answer: Data) -> Data? {
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        guard let length, answer.count - end.upperBound >= length else { return nil }
        return answer[end.upperBound..<(end.upperBound + length)]
    }
}
