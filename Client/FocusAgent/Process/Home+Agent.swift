import FocusDevice

// Where the agent is.
extension Home {
    /// What makes sure that there is one agent for the log, and says where that listens.
    package var agentLock: String { "\(data)/agent.lock" }

    /// Where an agent that is started in this environment listens: at the first of these that it can have. In the
    /// folder of what runs, another log's agent may be before it.
    package var agentSockets: [String] {
        let beside = "\(data)/agent.sock"
        return agentSocket == beside ? [beside] : [agentSocket, beside]
    }

    /// Where this log's agent listens now, in whichever environment it was started; nil where none runs,
    /// or it doesn't listen yet.
    package var presentSocket: String? {
        switch AgentLock.holder(agentLock) {
        case .agent(let address): address.socket
        // Until then another log's agent may listen where this one would in another environment.
        case .starting: nil
        case .silent: agentSocket
        case .none: OlderAgent.socket(of: self)
        }
    }

    /// What the agent says of itself.
    package var agentLog: String { "\(data)/agent.log" }
}
