/// Wrong usage of a program: what is wrong with the words it was given, and where to read what is right.
package struct UsageError: Error, Equatable, Sendable {
    /// What is wrong, as one or two sentences.
    package let message: String
    /// The command whose help says what is right, as it is typed (`focus devices`); empty until the parser
    /// has said which.
    package internal(set) var command: String

    /// An error that a command's table entry throws; the parser adds which command it was.
    package init(_ message: String) {
        self.message = message
        command = ""
    }

    /// Where to read what is right, as one sentence.
    package var hint: String { "See '\(command) --help'." }
}
