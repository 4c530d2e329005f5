package import CommandLineKit
package import FocusAgent
package import FocusDevice

/// What commands want of the server and of the agent. The dispatcher hands it over here, and nothing else of the
/// commands knows of sockets. Every function returns once it is done.
package protocol ClientNetwork: Sendable {
    /// What is asked of the group from this machine.
    ///
    /// - Parameters:
    ///   - opened: is called with the laptop's log each time it was opened, on the thread that did.
    ///   - tell: is told why the agent can't be started, where one is wanted.
    func errands(
        on machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) -> any GroupErrands
    /// Is the agent, shows or stops it.
    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure)
    /// Shows the full-screen view, until the person leaves it.
    func view(in context: CommandContext) throws(CommandFailure)
    /// Has the agent serve the page, and prints a link to it or opens it; or ends what browsers are let in by.
    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure)
    /// Prints the state at each change and each second, until the process is ended.
    func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure)
}
