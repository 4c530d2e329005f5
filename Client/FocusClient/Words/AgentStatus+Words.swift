import FocusAgent
import FocusCore
import FocusDevice
import SystemKit

extension AgentStatus {
    /// What is to be said of where it listens, as a sentence: nil where an agent started here would listen there too.
    ///
    /// - Parameter home: of whoever asks.
    func whereabouts(_ home: Home) -> String? {
        guard let socket, socket != home.agentSocket, let file = FileIdentity(path: socket),
            file != FileIdentity(path: home.agentSocket)
        else { return nil }
        return "It listens at \(socket) and not at \(home.agentSocket): it was started with another "
            + "XDG_RUNTIME_DIR, or another log's agent listens there."
    }

    /// The status for people.
    ///
    /// - Parameters:
    ///   - home: of whoever asks.
    ///   - isMember: whether the laptop is in a group, so that there is a server to be connected with.
    func text(_ home: Home, isMember: Bool) -> String {
        let place = isMember ? link.state.rawValue : "in no group"
        var lines = ["The agent is running (process \(process), version \(version)); the laptop is \(place)."]
        if let problem { lines.append(problem) }
        if let whereabouts = whereabouts(home) { lines.append(whereabouts) }
        return (lines + notices).joined(separator: "\n") + "\n"
    }
}
