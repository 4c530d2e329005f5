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
