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
        port = try waitForValue(
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
        let answer = try HTTPClient(port: port).ask(
            method, path, host: "127.0.0.1:\(port)", ["Content-Type": "application/json"],
            body: String(decoding: content, as: UTF8.self))
        let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        let value = object?["value"] ?? NSNull()
        if let error = value as? [String: Any], let kind = error["error"] as? String {
            throw Unmet("the browser, at \(method) \(path): \(kind): \(error["message"] ?? "")")
        }
        return value
    }
}
