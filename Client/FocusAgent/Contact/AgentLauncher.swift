package import SystemKit

/// Starts the agent in the background, where none runs.
package enum AgentLauncher {
    /// Starts this program again as the agent, in a session of its own; what it says goes to the end of the file
    /// `log`. It ends by itself where an agent runs already.
    ///
    /// Doesn't wait for the agent.
    ///
    /// - Throws: where the system doesn't let it be started.
    package static func start(program: String, log: String) throws(SystemError) {
        _ = try BackgroundProgram.start(program, ["focus", "agent", "run"], messages: log)
    }
}
