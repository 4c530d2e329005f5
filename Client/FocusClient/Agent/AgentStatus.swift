import FocusCore
import FocusDevice
import FocusText
import SystemKit

/// How things stand with the agent and its connection, as it tells commands.
struct AgentStatus: Hashable {
    /// The agent's process.
    let process: Int32
    let version: String
    let link: ServerLink
    /// Why it is offline, where it is and there is a reason.
    let problem: String?
    /// What happened while syncing, the newest last.
    let notices: [String]
    /// Where the agent listens; nil where it is of a version that doesn't say.
    let socket: String?

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
    var document: JSON { .object([JSON.Member("running", .bool(true))] + members) }

    /// The same where no agent runs.
    static let absent = JSON.object([JSON.Member("running", .bool(false))])

    private var members: [JSON.Member] {
        [
            JSON.Member("process", .integer(process)),
            JSON.Member("version", .string(version)),
            JSON.Member("state", .string(link.state.rawValue)),
            JSON.Member("online", .array(link.online.map(JSON.string))),
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
            process: process, version: version, link: ServerLink(state, online: json.strings("online")),
            problem: json["problem"]?.text, notices: json.strings("notices"), socket: json["socket"]?.text)
    }

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

extension JSON {
    fileprivate func strings(_ name: String) -> [String] {
        guard case .array(let elements)? = self[name] else { return [] }
        return elements.compactMap(\.text)
    }
}
