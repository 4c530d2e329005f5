/// The failure of a command: what is wrong, what to do next, and the exit status.
package struct CommandFailure: Error, Hashable, Sendable {
    /// Whole sentences for people.
    package let message: String
    /// The exit status of the process, which scripts use.
    package let status: ExitStatus
    /// Other facts that a person should know, as sentences. They are shown before the message.
    package let notes: [String]

    /// A failure with this message.
    ///
    /// - Parameter message: One or more sentences. The program's name is printed before them and isn't part
    ///   of them.
    package init(_ message: String, _ status: ExitStatus = .failed, notes: [String] = []) {
        self.message = message
        self.status = status
        self.notes = notes
    }
}

/// The exit status of a program (docs/commands.md, "Exit status").
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case done = 0
    /// The command failed; the message says why.
    case failed = 1
    /// The program didn't understand its words.
    case usage = 2
    /// The request makes no sense in the present state, such as a pause of a stopped timer.
    case notNow = 3
    /// The server can't be reached, and the command needs it.
    case unreachable = 4
    /// The server refused.
    case refused = 5

    /// The meaning, as sentences for the manual.
    var meaning: String {
        switch self {
        case .done: "Done."
        case .failed: "It failed. The message says why, and what to do."
        case .usage: "Wrong usage."
        case .notNow: "Not possible now, such as pausing a stopped timer."
        case .unreachable: "The server can't be reached, and the command needs it."
        case .refused: "The server refused."
        }
    }
}

/// Wrong usage of a program: the mistake in its words, and the help to read.
package struct UsageError: Error, Equatable, Sendable {
    /// The mistake, in one or two sentences.
    package let message: String
    /// The typed form of the command that has the right help (`focus devices`). Empty until the parser fills it
    /// in.
    package internal(set) var command: String

    /// An error that a command's table entry throws. The parser adds the command.
    package init(_ message: String) {
        self.message = message
        command = ""
    }

    /// A sentence that names the help to read.
    package var hint: String { "See '\(command) --help'." }
}
