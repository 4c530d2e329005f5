package import CommandLineKit
import FocusServer
package import FocusServerStore
import Foundation
import Synchronization

/// The text that a command printed, and its exit status.
package struct CommandOutcome {
    package let status: CommandLineKit.ExitStatus
    package let data: String
    package let messages: String

    /// Runs `focusd` with these words.
    ///
    /// - Parameter answer: The answer to each question; nil if nobody sits at the terminal.
    package init(_ words: [String], answer: String? = nil) async {
        let printed = Mutex(("", ""))
        status = await FocusdProgram.run(
            words,
            FocusdProgram.Console(
                data: { text in printed.withLock { $0.0 += text } },
                messages: { text in printed.withLock { $0.1 += text } }, ask: { _ in answer }))
        (data, messages) = printed.withLock { $0 }
    }
}

/// A suite of tests of the commands on one data folder.
package protocol CommandSuite {
    var data: DataFolder { get }
}

extension CommandSuite {
    /// Runs `focusd` with these words on the folder.
    package func run(_ words: String..., answer: String? = nil) async -> CommandOutcome {
        await CommandOutcome(words + ["--data", data.path], answer: answer)
    }

    /// Writes the file of settings.
    package func set(_ settings: String) throws {
        try settings.write(toFile: data.settings, atomically: false, encoding: .utf8)
    }

    /// The audit log's text.
    package var audit: String { get throws { try String(contentsOfFile: data.audit, encoding: .utf8) } }
}
