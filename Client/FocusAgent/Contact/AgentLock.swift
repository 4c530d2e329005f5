import FocusNet
import FocusText
package import SystemKit

/// Makes sure that a log has one agent, whatever environment it was started in: held from the agent's start to its end,
/// however that comes. What the file holds is where that agent listens.
package final class AgentLock: Sendable {
    private let file: LockFile

    /// Takes the lock; nil where another agent has it.
    ///
    /// - Parameter path: the file, which is made where it is missing, for this user alone.
    /// - Throws: where it can't be opened, or its disk has no locks.
    package init?(path: String) throws(SystemError) {
        guard let file = try LockFile(path: path) else { return nil }
        // What an agent that was killed left there holds no more, and who looks now has to wait for what does.
        file.restrict()
        file.write(AgentLock.starting)
        self.file = file
    }

    /// What the file holds before it says where the agent listens.
    private static let starting = "starting\n"

    /// Whether the file is still the one that was locked: another agent would lock another one.
    package var isInPlace: Bool { file.isInPlace }

    /// Says where this agent listens, as far as the disk has room for it.
    package func tell(_ address: AgentAddress) { file.write(address.line) }

    /// What somebody else's lock says.
    package enum Holder: Hashable, Sendable {
        /// No agent has it, whatever the file may say.
        case none
        /// An agent has it that doesn't listen yet.
        case starting
        /// An agent has it that couldn't say where it listens.
        case silent
        case agent(AgentAddress)
    }

    /// Who has the lock at `path`. Looking takes none, so it is in nobody's way.
    package static func holder(_ path: String) -> Holder {
        guard let line = LockFile.text(at: path, limit: AgentAddress.lengthLimit) else { return .none }
        if line.elementsEqual(starting.utf8) { return .starting }
        return AgentAddress(line: line).map(Holder.agent) ?? .silent
    }
}

/// Where an agent listens, as its lock's file tells other environments.
package struct AgentAddress: Hashable, Sendable {
    /// The agent's process.
    package let process: Int32
    /// The path of its socket: absolute.
    package let socket: String

    /// The longest line that says it, in bytes: beyond the longest path.
    static let lengthLimit = 8192

    /// Where the agent of this process listens.
    package init(process: Int32, socket: String) {
        self.process = process
        self.socket = socket
    }

    /// It as one line of JSON.
    package var line: String {
        let object = JSON.object([
            JSON.Member("process", .integer(process)), JSON.Member("socket", .string(socket)),
        ])
        return "\(object)\n"
    }

    /// What such a line says; nil where it says none, or isn't written to its end.
    package init?(line: [UInt8]) {
        guard line.last == UInt8(ascii: "\n"), let json = try? JSON(parsing: line),
            let process = json["process"]?.number.flatMap(Int32.init(exactly:)),
            let socket = json["socket"]?.text, socket.hasPrefix("/")
        else { return nil }
        self.init(process: process, socket: socket)
    }
}
