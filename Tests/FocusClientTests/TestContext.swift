import FocusClient
import Synchronization

/// A world for commands to run in: files and a clock of the test's own, and what the command prints.
final class TestContext: Sendable {
    private let printed = Mutex("")
    private let said = Mutex("")
    private let files: [String: String]

    init(files: [String: String] = [:]) { self.files = files }

    var output: String { printed.withLock { $0 } }
    var messages: String { said.withLock { $0 } }

    /// The world at the instant `now`, milliseconds since the Unix epoch.
    func context(now: Int64 = 0) -> CommandContext {
        CommandContext(
            environment: Environment([:]),
            console: Console(
                output: { text throws(SystemError) in self.printed.withLock { $0 += text } },
                messages: { text in self.said.withLock { $0 += text } }, paint: .plain),
            now: { now },
            contents: { path throws(SystemError) in
                guard let text = self.files[path] else {
                    throw SystemError("\(path) can't be opened", code: 2)
                }
                return Array(text.utf8)
            })
    }
}
