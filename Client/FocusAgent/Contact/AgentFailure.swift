package import SystemKit

/// Why commands couldn't have of the laptop's agent what they wanted.
package enum AgentFailure: Error, Hashable, Sendable {
    /// There is one already.
    case running
    /// There is none.
    case absent
    /// It runs, but nobody can be reached at its address: it is just ending, or lost its socket.
    case unreachable(AgentAddress)
    /// It runs, but doesn't answer.
    case silent
    /// It can't be started.
    case notStarted(SystemError)
    /// It serves no page as there is none: commands may not start it, where `isUnwanted`, or it couldn't be started.
    case noPage(isUnwanted: Bool)
    /// It can't serve the page, for a reason that it gives as sentences.
    case pageFailed(String)
    /// It is of another version, which can't serve a page.
    case otherVersion
    /// It couldn't sign the browsers out.
    case notForgotten
}
