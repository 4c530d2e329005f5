import FocusCore
import FocusText

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

    init(process: Int32, version: String, link: ServerLink, problem: String?, notices: [String]) {
        self.process = process
        self.version = version
        self.link = link
        self.problem = problem
        self.notices = notices
    }

    /// The status as one line of JSON.
    var line: String {
        JSON.object([
            JSON.Member("process", .integer(process)),
            JSON.Member("version", .string(version)),
            JSON.Member("state", .string(link.state.rawValue)),
            JSON.Member("online", .array(link.online.map(JSON.string))),
            JSON.Member("problem", .optional(problem)),
            JSON.Member("notices", .array(notices.map(JSON.string))),
        ]).description + "\n"
    }

    /// The status that a line of JSON says; nil where it says none.
    init?(line: [UInt8]) {
        guard let json = try? JSON(parsing: line), case .number(let digits)? = json["process"],
            let process = Int32(digits), case .string(let version)? = json["version"],
            case .string(let name)? = json["state"], let state = Sharing.Connection(rawValue: name)
        else { return nil }
        let problem: String? = if case .string(let text)? = json["problem"] { text } else { nil }
        self.init(
            process: process, version: version, link: ServerLink(state, online: json.strings("online")),
            problem: problem, notices: json.strings("notices"))
    }

    /// The status for people.
    var text: String {
        var lines = [
            "The agent runs (process \(process), version \(version)); the laptop is \(link.state.rawValue)."
        ]
        if let problem { lines.append(problem) }
        return (lines + notices).joined(separator: "\n") + "\n"
    }
}

extension JSON {
    fileprivate func strings(_ name: String) -> [String] {
        guard case .array(let elements)? = self[name] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
