import FocusCore
package import FocusDevice
package import FocusText

/// The status of the agent and its connection, which it sends to commands.
package struct AgentStatus: Hashable {
    /// The id of the agent's process.
    package let process: Int32
    /// The version of the agent's program, which may differ from the command's.
    package let version: String
    /// The state of its connection at the time of the answer.
    package let link: ConnectionState
    /// The reason why it is offline, or nil if it isn't or none is known.
    package let problem: String?
    /// Notices about syncing of the last day, the newest last.
    package let notices: [String]
    /// The path of the agent's socket, or nil if its version doesn't tell.
    package let socket: String?
    /// The parts of the desktop that tell the agent whether somebody is at the laptop.
    package let origins: [String]

    /// The status of an agent.
    package init(
        process: Int32, version: String, link: ConnectionState, problem: String?, notices: [String],
        socket: String?, origins: [String]
    ) {
        self.process = process
        self.version = version
        self.link = link
        self.problem = problem
        self.notices = notices
        self.socket = socket
        self.origins = origins
    }

    /// The status as one line of JSON, as the agent sends it.
    package var line: String { "\(JSON.object(members))\n" }

    /// The object that `focus agent --json` prints.
    package var document: JSON { .object([JSON.Member("running", .bool(true))] + members) }

    /// The object that `focus agent --json` prints if no agent runs.
    package static let absent = JSON.object([JSON.Member("running", .bool(false))])

    private var members: [JSON.Member] {
        [
            JSON.Member("process", .integer(process)),
            JSON.Member("version", .string(version)),
            JSON.Member("state", .string(link.state.rawValue)),
            JSON.Member("online", .array(link.online.map { .string($0.hexadecimal) })),
            JSON.Member("problem", .optional(problem)),
            JSON.Member("notices", .array(notices.map(JSON.string))),
            JSON.Member("socket", .optional(socket)),
            JSON.Member("idle", .array(origins.map(JSON.string))),
        ]
    }

    /// Decodes a line of JSON. Nil if it isn't a status.
    init?(line: [UInt8]) {
        guard let json = try? JSON(parsing: line),
            let process = json["process"]?.number.flatMap(Int32.init(exactly:)),
            let version = json["version"]?.text,
            let state = json["state"]?.text.flatMap(GroupStatus.Connection.init(rawValue:))
        else { return nil }
        self.init(
            process: process, version: version,
            link: ConnectionState(
                state, online: json.strings("online").compactMap(Digest.init(hexadecimal:))),
            problem: json["problem"]?.text, notices: json.strings("notices"), socket: json["socket"]?.text,
            origins: json.strings("idle"))
    }
}

extension JSON {
    fileprivate func strings(_ name: String) -> [String] {
        guard case .array(let elements)? = self[name] else { return [] }
        return elements.compactMap(\.text)
    }
}
