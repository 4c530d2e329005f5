import FocusNet
import FocusText
package import SystemKit

/// Makes sure that a log has one agent, whatever environment it was started in: held from the agent's start to its end,
/// however that comes. What the file holds is where that agent listens.
package final class AgentLock: Sendable {
    private let path: String
    private let descriptor: Int32
    private let file: FileIdentity?

    /// Takes the lock; nil where another agent has it.
    ///
    /// - Parameter path: the file, which is made where it is missing, for this user alone.
    /// - Throws: where it can't be made, or its disk has no locks.
    package init?(path: String) throws(SystemError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("\(path) can't be made") }
        guard FileLock.acquire(descriptor) else {
            let code = errno
            close(descriptor)
            if code == EAGAIN || code == EACCES { return nil }
            throw SystemError("\(path) can't be locked", code: code)
        }
        // What an agent that was killed left there holds no more, and who looks now has to wait for what does.
        fchmod(descriptor, 0o600)
        self.path = path
        self.descriptor = descriptor
        file = FileIdentity(descriptor: descriptor)
        write(AgentLock.starting)
    }

    /// What the file holds before it says where the agent listens.
    private static let starting = Array("starting\n".utf8)

    deinit {
        FileLock.release(descriptor)
        close(descriptor)
    }

    /// Whether the file is still the one that was locked: another agent would lock another one.
    package var isInPlace: Bool { file != nil && FileIdentity(path: path) == file }

    /// Says where this agent listens, as far as the disk has room for it.
    package func tell(_ address: AgentAddress) { write(Array(address.line.utf8)) }

    /// Has the file hold these bytes, or nothing where the disk has no room for them.
    private func write(_ bytes: [UInt8]) {
        let isWritten = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        ftruncate(descriptor, isWritten ? bytes.count : 0)
    }

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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .none }
        defer { close(descriptor) }
        guard FileLock.isHeld(descriptor) else { return .none }
        var bytes = [UInt8](repeating: 0, count: AgentAddress.lengthLimit)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let line = Array(bytes[..<max(0, count)])
        return line == starting ? .starting : AgentAddress(line: line).map(Holder.agent) ?? .silent
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
