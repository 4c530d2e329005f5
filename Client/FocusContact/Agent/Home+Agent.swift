package import FocusDevice

// The paths of the agent's files.
extension Home {
    /// The lock's file, which ensures that the log has only one agent, and holds its address.
    package var agentLock: String { "\(data)/agent.lock" }

    /// The paths that an agent started in this environment may listen at, in order of preference. In the
    /// runtime folder, another log's agent may already use the path.
    package var agentSockets: [String] {
        let beside = "\(data)/agent.sock"
        return agentSocket == beside ? [beside] : [agentSocket, beside]
    }

    /// The path that this log's agent listens at now, even if the agent was started in another environment.
    /// Nil if no agent runs, or it doesn't listen yet.
    package var presentSocket: String? {
        switch AgentLock.holder(agentLock) {
        case .agent(let address): address.socket
        // The path isn't known yet. At `agentSocket`, another log's agent may listen.
        case .starting: nil
        // The agent couldn't write its address, so this is a guess.
        case .silent: agentSocket
        case .none: nil
        }
    }

    /// The file of the agent's own messages.
    package var agentLog: String { "\(data)/agent.log" }
}
