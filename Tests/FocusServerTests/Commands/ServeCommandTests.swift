import CommandLineKit
import FocusServer
import FocusServerStore
import Glibc
import ServerSupport
import TestSupport
import TestTraits
import Testing

@Suite("focusd serve", .ends(within: .seconds(300)))
struct ServeCommandTests {
    @Test("it serves until its process is told to end, and has closed everything when it returns")
    func untilSignal() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let folder = try TemporaryFolder()
            let data = ["--data", folder.data.path]
            #expect(await CommandOutcome(["init", "--address", "127.0.0.1"] + data).status == .done)
            // It says that it is ready once it notices signals.
            let status = await FocusdProgram.run(
                ["serve", "--listen", "127.0.0.1:0", "--metrics", "off"] + data,
                FocusdProgram.Console(data: { _ in _ = kill(getpid(), SIGTERM) }, messages: { _ in }))
            #expect(status == .done)
        }
        let log = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(log.contains("event=ready"), "\(log)")
        #expect(log.contains("event=stopped"), "\(log)")
    }
}
