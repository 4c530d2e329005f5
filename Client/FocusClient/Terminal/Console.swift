import CommandLineKit

/// Where a command's data and messages go. What is from other machines can't garble a terminal here
/// (`TerminalText`).
package struct Console: Sendable {
    /// Takes data, for standard output.
    package let output: @Sendable (String) throws(SystemError) -> Void
    /// Takes messages, for standard error.
    package let messages: @Sendable (String) -> Void
    package let paint: Paint
    package let glyphs: Glyphs
    /// How many columns a line may have.
    package let columns: Int
    /// Whether a person sits at a terminal that a full screen can be shown on.
    package let hasScreen: Bool
    /// Puts a question to the person and gives the line that they type; nil where nobody sits there.
    package let ask: @Sendable (String) -> String?

    package init(
        output: @escaping @Sendable (String) throws(SystemError) -> Void,
        messages: @escaping @Sendable (String) -> Void, paint: Paint, glyphs: Glyphs = .ascii,
        columns: Int = Console.usualColumns, hasScreen: Bool = false,
        ask: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.output = { text throws(SystemError) in try output(TerminalText.data(text)) }
        self.messages = { messages(TerminalText.message($0)) }
        self.paint = paint
        self.ask = { ask(TerminalText.message($0)) }
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
            messages: { try? FileDescriptor.standardError.write($0) },
            paint: .forOutput(isTerminal: FileDescriptor.standardOutput.isTerminal, environment),
            glyphs: .forLocale(environment),
            columns: FileDescriptor.standardOutput.terminalColumns
                ?? environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? usualColumns,
            hasScreen: FileDescriptor.standardInput.isTerminal && FileDescriptor.standardOutput.isTerminal
                && environment["TERM"].map { $0 != "dumb" } ?? false,
            ask: { question in
                guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else {
                    return nil
                }
                try? FileDescriptor.standardError.write(question)
                return readLine() ?? ""
            })
    }

    /// Whether the person says yes to a question; nil where nobody sits there to be asked.
    func confirms(_ question: String) -> Bool? {
        ask("\(question) [y/N] ").map { ["y", "yes"].contains($0.lowercased()) }
    }

    /// Says something to the person, as one line after the program's name.
    package func say(_ message: String) { messages("focus: \(message)\n") }
}
