import CommandLineKit
import CursesKit
import FocusDevice
import FocusFront
import FocusLink
package import FocusScreen
package import SystemKit

/// The destination of a command's data and messages. It removes from texts the characters that would garble a
/// terminal (`TerminalText`), because some texts come from other machines.
package struct Console: Sendable {
    /// Writes data to standard output.
    package let output: @Sendable (String) throws(SystemError) -> Void
    /// Writes data that a program reads, such as an export, to standard output. A file or a pipe gets the
    /// text unchanged; a terminal gets the text that `output` would write.
    package let file: @Sendable (String) throws(SystemError) -> Void
    /// Writes messages to standard error.
    package let messages: @Sendable (String) -> Void
    /// The colours for people's data, if `output` is a terminal that has colours.
    package let paint: TextColouring
    /// The characters that charts are drawn with.
    package let glyphs: Glyphs
    /// The maximum number of columns of a line.
    package let columns: Int
    /// Whether `output` is a terminal.
    let isTerminal: Bool
    /// Whether there is a terminal that can show a full-screen view.
    package let hasScreen: Bool
    /// Asks the person a question.
    package let ask: @Sendable (String) -> Reply
    /// Whether the person has typed or pasted more than was read.
    package let hasMoreInput: @Sendable () -> Bool

    /// - Parameter isTerminal: Whether `output` is a terminal.
    package init(
        output: @escaping @Sendable (String) throws(SystemError) -> Void,
        messages: @escaping @Sendable (String) -> Void, paint: TextColouring, glyphs: Glyphs = .ascii,
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

    /// The number of columns if the terminal doesn't tell.
    package static let usualColumns = 80

    /// Returns the console of this process.
    package static func process(_ environment: Environment) -> Console {
        Console(
            output: { text throws(SystemError) in try FileDescriptor.standardOutput.write(text) },
            // If standard error is closed, there is no other place to report that.
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
                // The next output should not follow on the question's line.
                try? FileDescriptor.standardError.write("\n")
                return .ended
            },
            hasMoreInput: { FileDescriptor.standardInput.hasMore })
    }

    /// Wraps a message to the width of the terminal at standard error.
    private static func wrapped(_ text: String) -> String {
        TextLayout.message(
            text, width: FileDescriptor.standardError.terminalColumns, columns: DisplayWidth.of)
    }

    /// Wraps sentences for standard output to the width of its terminal.
    func prose(_ text: String) -> String {
        TextLayout.message(text, width: isTerminal ? columns : nil, columns: DisplayWidth.of)
    }

    /// Returns whether the person answers a question with yes; nil if there is no terminal. Just Enter means
    /// no.
    func confirms(_ question: String) -> Bool? {
        switch ask("\(question) [y/N] ") {
        case .line(let line): ["y", "yes"].contains(line.lowercased())
        case .ended: false
        case .nobody: nil
        }
    }

    /// Returns whether the person consents to an action that can't be undone; just Enter means no.
    ///
    /// - Parameter isSure: Whether the person has consented beforehand, by `--yes`. If so, nothing is asked.
    /// - Throws: `CommandFailure` if there is no terminal to ask at.
    func consents(to question: String, isSure: Bool) throws(CommandFailure) -> Bool {
        if isSure { return true }
        guard let answer = confirms(question) else {
            throw CommandFailure("There is no terminal to ask on. Use --yes if you are sure.", .usage)
        }
        return answer
    }

    /// Asks a question to which just Enter means yes. Repeats it until the answer is clear.
    func agrees(_ question: String) -> Agreement {
        while true {
            switch ask("\(question) [Y/n] ") {
            case .ended: return .ended
            case .nobody: return .nobody
            case .line(let line):
                switch line.lowercased().filter({ !$0.isWhitespace }) {
                case "", "y", "yes": return .yes
                case "n", "no": return .no
                default: report("Type y or n; Ctrl-C cancels.")
                }
            }
        }
    }

    /// Prints a message to the person on one line, with the program's name in front.
    package func report(_ message: String) { messages("focus: \(message)\n") }
}

extension Console {
    /// Prints each notice.
    func report(_ notices: [SyncNotice]) { for notice in notices { report(notice.sentence) } }

    /// Prints each trouble on a line.
    func report(_ troubles: [Trouble]) { for trouble in troubles { report(trouble.sentence) } }
}

/// The reply to a question.
package enum Reply: Hashable, Sendable {
    /// The line that the person typed.
    case line(String)
    /// The input ended instead, for example by Ctrl-D.
    case ended
    /// There is no terminal.
    case nobody
}

/// The answer to a question of yes or no.
package enum Agreement: Hashable, Sendable {
    case yes, no
    /// The input ended instead.
    case ended
    /// There is no terminal.
    case nobody
}
