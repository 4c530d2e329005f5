import CommandLineKit
import Synchronization
import SystemKit

extension CommandContext {
    /// The same world, but for what is printed and said, which goes to `take`; what is said to `messages` where that
    /// is given.
    func saying(
        _ take: @escaping @Sendable (String) -> Void, messages: (@Sendable (String) -> Void)? = nil
    ) -> CommandContext {
        CommandContext(
            machine: machine,
            console: Console(
                output: { text throws(SystemError) in take(text) }, messages: messages ?? take, paint: .plain),
            open: open, network: network, programs: programs)
    }
}

/// What a command has printed.
final class Said: Sendable {
    private let words = Mutex("")

    var text: String { words.withLock { $0 } }

    /// The same as a line of a view, where nobody asks who says it.
    var line: String { lines.joined(separator: " ") }

    /// The same as lines.
    var lines: [String] {
        text.split(separator: "\n").map {
            String($0.hasPrefix(Said.speaker) ? $0.dropFirst(Said.speaker.count) : $0)
        }
    }

    private static let speaker = "focus: "

    func add(_ text: String) { words.withLock { $0 += text } }
}
