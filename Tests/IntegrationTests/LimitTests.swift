import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension LaptopTests {
    @Suite("Limits of the system")
    struct LimitTests {
        @Test(
            "a file that may grow no further is a failure that is told", arguments: [Program.focus, .focusd])
        func fileSize(program: Program) throws {
            let folder = try TemporaryFolder()
            let isServer = program.path.hasSuffix("d")
            let words = isServer ? ["init", "--address", "host", "--data", folder.file("server")] : ["start"]
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", "ulimit -f 1; exec \"$@\"", "bash", program.path] + words
            process.environment = ["FOCUS_HOME": folder.file("laptop"), "FOCUS_NO_AGENT": "1"]
            let messages = Pipe()
            process.standardError = messages
            try process.run()
            let said = try messages.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 1)
            #expect(String(decoding: said, as: UTF8.self).contains("SQLite"))
        }
    }
}
