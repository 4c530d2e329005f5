import CommandLineKit
import CursesKit
import FocusDevice
import FocusLink
package import FocusScreen
import FocusWords
package import SystemKit

/// Where a command's data and messages go. What is from other machines can't garble a terminal here
/// (`TerminalText`).
package struct Console: Sendable {
    /// Takes data, for standard output.
    package let output: @Sendable (String) throws(SystemError) -> Void
    /// Takes what is to be read by a program as it is, for standard output: a file or a pipe gets each character of
    /// it, a terminal what `output` would show.
    package let file: @Sendable (String) throws(SystemError) -> Void
    /// Takes messages, for standard error.
    package let messages: @Sendable (String) -> Void
    /// Puts colour on data for people, where `output` leads to a terminal that has some.
    package let paint: Paint
    /// The signs that charts are drawn with.
    package let glyphs: Glyphs
    /// How many columns a line may have.
    package let columns: Int
    private let isTerminal: Bool
    /// Whether a person sits at a terminal that a full screen can be shown on.
    package let hasScreen: Bool
    /// Puts a question to the person.
    package let ask: @Sendable (String) -> Reply
    /// Whether the person has typed, or pasted, more than was read.
    package let hasMoreInput: @Sendable () -> Bool

    /// - Parameter isTerminal: whether `output` leads to a terminal.
    package init(
        output: @escaping @Sendable (String) throws(SystemError) -> Void,
        messages: @escaping @Sendable (String) -> Void, paint: Paint, glyphs: Glyphs = .ascii,
        columns: Int = Console.usualColumns, isTerminal: Bool = true, hasScreen: Bool = false,
        ask: @escaping @Sendable (String) -> Reply = { _ in .nobody },
        hasMoreInput: @escaping @Sendable () -> Bool = { false }
    ) {
        self.output = { text throws(SystemError) in try output(TerminalText.data(text)) }
        file = isTerminal ? self.output : output
        self.isTerminal = isTerminal
        self.messages = { messages(TerminalText.message($0)) }
        self.paint = paint
        self.ask = { ask(TerminalText.message($0)) }
        self.hasMoreInput = hasMoreInput
        self.glyphs = glyphs
        self.columns = columns
        self.hasScreen = hasScreen
    }

    /// How many columns there are where nobody says.
    package static let usualColumns = 80

    /// The console of this process.
    package static func process(_ environment: Environment) -> Console {
        Console(
            output: { text throws(SystemError) in try FileDescriptor.standardOutput.write(text) },
            // There is nobody left to tell where standard error itself is gone.
            messages: { try? FileDescriptor.standardError.write(wrapped($0)) },
            paint: .forOutput(isTerminal: FileDescriptor.standardOutput.isTerminal, environment),
            glyphs: .forLocale(environment),
            columns: FileDescriptor.standardOutput.terminalColumns
                ?? environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? usualColumns,
            isTerminal: FileDescriptor.standardOutput.isTerminal,
            hasScreen: FileDescriptor.standardInput.isTerminal && FileDescriptor.standardOutput.isTerminal
                && environment["TERM"].map { $0 != "dumb" } ?? false,
            ask: { question in
                guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else {
                    return .nobody
                }
                try? FileDescriptor.standardError.write(wrapped(question))
                if let line = readLine() { return .line(line) }
                // What is said next is not to stand behind the question.
                try? FileDescriptor.standardError.write("\n")
                return .ended
            },
            hasMoreInput: { FileDescriptor.standardInput.hasMore })
    }

    /// A message as wide as the terminal that standard error leads to.
    private static func wrapped(_ text: String) -> String {
        TextLayout.message(
            text, width: FileDescriptor.standardError.terminalColumns, columns: DisplayWidth.of)
    }

    /// Sentences for standard output, as wide as its terminal.
    func prose(_ text: String) -> String {
        TextLayout.message(text, width: isTerminal ? columns : nil, columns: DisplayWidth.of)
    }

    /// Whether the person says yes to a question, and not anything else; nil where nobody sits there to be asked.
    func confirms(_ question: String) -> Bool? {
        switch ask("\(question) [y/N] ") {
        case .line(let line): ["y", "yes"].contains(line.lowercased())
        case .ended: false
        case .nobody: nil
        }
    }

    /// Whether what can't be undone is to be done.
    ///
    /// - Parameter isSure: Whether the person has said so beforehand.
    /// - Throws: where nobody sits there to be asked.
    func consents(to question: String, isSure: Bool) throws(CommandFailure) -> Bool {
        if isSure { return true }
        guard let answer = confirms(question) else {
            throw CommandFailure("Nobody is there to ask. Use --yes if you are sure.", .usage)
        }
        return answer
    }

    /// What the person says to a question to which Enter alone is a yes. It is asked until the answer is clear.
    func agrees(_ question: String) -> Agreement {
        while true {
            switch ask("\(question) [Y/n] ") {
            case .ended: return .ended
            case .nobody: return .nobody
            case .line(let line):
                switch line.lowercased().filter({ !$0.isWhitespace }) {
                case "", "y", "yes": return .yes
                case "n", "no": return .no
                default: say("Type y or n; Ctrl-C breaks off.")
                }
            }
        }
    }

    /// Says something to the person, as one line after the program's name.
    package func say(_ message: String) { messages("focus: \(message)\n") }
}

extension Console {
    /// Says what a person should know.
    func say(_ notices: [SyncNotice]) { for notice in notices { say(notice.sentence) } }

    /// Says what is the matter, one line each.
    func say(_ troubles: [Trouble]) { for trouble in troubles { say(trouble.sentence) } }
}

/// What came of a question to the person.
package enum Reply: Hashable, Sendable {
    /// The line that they typed.
    case line(String)
    /// Their input ended instead, as Ctrl-D has it.
    case ended
    /// Nobody sits there.
    case nobody
}

/// What a person says to a question whose answer is yes or no.
package enum Agreement: Hashable, Sendable {
    case yes, no
    /// Their input ended instead.
    case ended
    /// Nobody sits there.
    case nobody
}
