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
