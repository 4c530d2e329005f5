/// Why a command didn't do what it was asked: what is wrong and what to do next, and the status to exit with.
package struct CommandFailure: Error, Hashable, Sendable {
    /// Whole sentences for people.
    package let message: String
    /// What the process exits with. Scripts go by it.
    package let status: ExitStatus

    /// A failure to be told in these sentences.
    ///
    /// - Parameter message: one sentence or more, the first without the program's name before it.
    package init(_ message: String, _ status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }
}

/// How a program ended, as its caller sees it (docs/commands.md, "Exit status").
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// It did what it was asked.
    case done = 0
    /// It could not; the message says why.
    case failed = 1
    /// It was not asked in a way that it understands.
    case usage = 2
    /// What was asked makes no sense in the present state, as pausing what is stopped.
    case notNow = 3
    /// The server can't be reached, and the command needs it.
    case unreachable = 4
    /// The server refused.
    case refused = 5

    /// What it means, as sentences for the manual.
    var meaning: String {
        switch self {
        case .done: "Done."
        case .failed: "It failed; the message says why, and what to do."
        case .usage: "Wrong usage."
        case .notNow: "Not now: it makes no sense in the present state, as pausing what is stopped."
        case .unreachable: "The server can't be reached, and the command needs it."
        case .refused: "The server refused."
        }
    }
}

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
