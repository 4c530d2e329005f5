import Foundation
import IntegrationSupport

extension Server {
    /// Limits what the running server may use, as `prlimit` names it; nil lifts the limit.
    func limit(_ resource: String, to value: Int?) throws {
        guard let process else { throw Unmet("the server doesn't run") }
        let prlimit = Process()
        prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        // The soft limit alone: it can be raised again.
        prlimit.arguments = [
            "--pid", "\(process.process)", "--\(resource)=\(value.map(String.init) ?? "unlimited"):",
        ]
        try prlimit.run()
        prlimit.waitUntilExit()
        guard prlimit.terminationStatus == 0 else { throw Unmet("\(resource) can't be limited") }
    }
}
