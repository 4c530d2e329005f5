package import CommandLineKit
import FocusServer
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
