import FocusCore
package import FocusDevice
package import FocusText

/// How things stand with the agent and its connection, as it tells commands.
package struct AgentStatus: Hashable {
    /// The agent's process.
    package let process: Int32
    /// The program's version that it runs, which may be another one than the command's.
    package let version: String
    /// How its connection stands, as of the answer.
    package let link: ServerLink
    /// Why it is offline, where it is and there is a reason.
    package let problem: String?
    /// What happened while syncing, the newest last.
    package let notices: [String]
    /// Where the agent listens; nil where it is of a version that doesn't say.
    package let socket: String?

    init(
        process: Int32, version: String, link: ServerLink, problem: String?, notices: [String],
        socket: String?
    ) {
        self.process = process
        self.version = version
        self.link = link
        self.problem = problem
        self.notices = notices
        self.socket = socket
    }

    /// The status as one line of JSON, as the agent says it.
    var line: String { "\(JSON.object(members))\n" }

    /// What `focus agent --json` prints.
    package var document: JSON { .object([JSON.Member("running", .bool(true))] + members) }

    /// The same where no agent runs.
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
        ]
    }

    /// The status that a line of JSON says; nil where it says none.
    init?(line: [UInt8]) {
        guard let json = try? JSON(parsing: line),
            let process = json["process"]?.number.flatMap(Int32.init(exactly:)),
            let version = json["version"]?.text,
            let state = json["state"]?.text.flatMap(Sharing.Connection.init(rawValue:))
        else { return nil }
        self.init(
            process: process, version: version,
            link: ServerLink(state, online: json.strings("online").compactMap(Digest.init(hexadecimal:))),
            problem: json["problem"]?.text, notices: json.strings("notices"), socket: json["socket"]?.text)
    }
}

extension JSON {
    fileprivate func strings(_ name: String) -> [String] {
        guard case .array(let elements)? = self[name] else { return [] }
        return elements.compactMap(\.text)
    }
}
