import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("The demo")
    struct DemoTests {
        @Test("goes through to its end, and all laptops agree at every step")
        func demo() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let programs = URL(fileURLWithPath: Program.focus.path).deletingLastPathComponent()
            let folder = try TemporaryFolder()
            let demo = try Program(path: "/bin/bash").start(
                [root.appendingPathComponent("scripts/demo").path],
                ["HOME": folder.path, "DEMO_PROGRAMS": programs.path, "DEMO_PATIENCE": "30"], in: folder,
                log: folder.fresh("messages"))
            let outcome = try demo.wait()
            #expect(outcome.status == 0, "\(outcome.output.suffix(2000)) \(outcome.messages.suffix(2000))")
            #expect(outcome.output.contains("All three agreed at every step"))
        }
    }
}
