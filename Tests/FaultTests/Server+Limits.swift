import Foundation
import IntegrationSupport

extension Server {
    /// Sets a limit of the running server, by its name in `prlimit`.
    func limit(_ resource: String, to value: Int) throws {
        guard let process else { throw Unmet("the server doesn't run") }
        let prlimit = Process()
        prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        prlimit.arguments = ["--pid", "\(process.process)", "--\(resource)=\(value):"]
        try prlimit.run()
        prlimit.waitUntilExit()
        guard prlimit.terminationStatus == 0 else { throw Unmet("\(resource) can't be limited") }
    }
}
