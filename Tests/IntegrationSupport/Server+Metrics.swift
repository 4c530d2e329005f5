import Foundation
package import TestSupport

extension Server {
    /// Sends a request to the server's HTTP endpoint for metrics and health.
    package func metricsAnswer(_ path: String, _ method: String = "GET") throws -> HTTPClient.Answer {
        let address = metrics.split(separator: ":")
        guard address.count == 2, let port = UInt16(address[1]) else {
            throw Unmet("the server serves no metrics at '\(metrics)'")
        }
        return try HTTPClient(port: port).ask(method, path, host: metrics)
    }

    /// Waits until `/readyz` answers with this status and sentence.
    package func waitForReadiness(_ isReady: Bool, saying sentence: String) throws {
        var said = ""
        try eventually("/readyz says '\(sentence)', and not: \(said)") {
            let answer = try metricsAnswer("/readyz")
            said = "\(answer.status) \(answer.body)"
            return answer.status == (isReady ? 200 : 503) && answer.body.contains(sentence)
        }
    }

    /// The values of the server's metrics, by name with labels as the server writes them.
    package func samples() throws -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in try metricsAnswer("/metrics").body.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...])
            else { throw Unmet("no sample: \(line)") }
            samples[String(line[..<space])] = value
        }
        return samples
    }
}
