package import FocusDevice
import FocusNet
import FocusText
package import SystemKit

/// The lock by which a log has only one agent, even if others are started in other environments. It is held
/// until the agent's process ends, even by a crash. Its file holds the agent's address.
package final class AgentLock: Sendable {
    private let file: LockFile

    /// Takes the lock, or returns nil if another agent has it.
    ///
    /// - Parameter path: The lock's file. If it is missing, it is created for this user only.
    /// - Throws: `SystemError` if it can't be opened, or its file system has no locks.
    package init?(path: String) throws(SystemError) {
        guard let file = try LockFile(path: path) else { return nil }
        file.restrict()
        // Commands that read this wait for the agent's address.
        file.write(AgentLock.starting)
        self.file = file
    }

    /// The file's content before the agent listens.
    private static let starting = "starting\n"

    /// Whether the file is still the locked one. If it isn't, another agent can lock the new file.
    package var isInPlace: Bool { file.isInPlace }

    /// Writes this agent's address to the file, if the disk has room for it.
    package func writeAddress(_ address: AgentAddress) { file.write(address.line) }

    /// The holder of a lock, by its file.
    package enum Holder: Hashable, Sendable {
        /// No agent has the lock. The file's text is invalid then.
        case none
        /// An agent has the lock, and doesn't listen yet.
        case starting
        /// An agent has the lock, but couldn't write its address.
        case silent
        case agent(AgentAddress)
    }

    /// Returns the holder of the lock at `path`. It doesn't take the lock, so it disturbs nobody.
    package static func holder(_ path: String) -> Holder {
        guard let line = LockFile.text(at: path, limit: AgentAddress.lengthLimit) else { return .none }
        if line.elementsEqual(starting.utf8) { return .starting }
        return AgentAddress(line: line).map(Holder.agent) ?? .silent
    }
}

/// An agent's address. The lock's file tells it to commands in other environments.
package struct AgentAddress: Hashable, Sendable {
    /// The id of the agent's process.
    package let process: Int32
    /// The absolute path of its socket.
    package let socket: String

    /// The longest line of an address, in bytes: more than the longest path needs.
    static let lengthLimit = 8192

    /// The address of an agent.
    package init(process: Int32, socket: String) {
        self.process = process
        self.socket = socket
    }

    /// The address as one line of JSON.
    package var line: String {
        let object = JSON.object([
            JSON.Member("process", .integer(process)), JSON.Member("socket", .string(socket)),
        ])
        return "\(object)\n"
    }

    /// Decodes such a line. Nil if it is malformed or incomplete.
    package init?(line: [UInt8]) {
        guard line.last == UInt8(ascii: "\n"), let json = try? JSON(parsing: line),
            let process = json["process"]?.number.flatMap(Int32.init(exactly:)),
            let socket = json["socket"]?.text, socket.hasPrefix("/")
        else { return nil }
        self.init(process: process, socket: socket)
    }
}

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
