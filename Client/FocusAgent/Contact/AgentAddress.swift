import FocusText

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
