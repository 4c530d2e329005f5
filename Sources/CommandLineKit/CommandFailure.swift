/// Why a command didn't do what it was asked: what is wrong and what to do next, and the status to exit with.
package struct CommandFailure: Error, Hashable, Sendable {
    /// Whole sentences for people.
    package let message: String
    package let status: ExitStatus

    package init(_ message: String, _ status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }
}
