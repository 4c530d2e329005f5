/// A unit of systemd's that runs the agent, for one user. deploy/focus-agent.service is the one for a program in
/// /usr/local/bin; a test keeps them alike.
package struct AgentUnit: Hashable, Sendable {
    /// What its file is called.
    static let name = "focus-agent.service"

    private let program: String
    private let variables: [AgentService.Variable]

    /// The unit for the program at this path.
    package init(program: String) { self.init(program: program, variables: []) }

    init(program: String, variables: [AgentService.Variable]) {
        self.program = program
        self.variables = variables
    }

    /// What the file holds (systemd.service(5)).
    package var text: String {
        let program = AgentUnit.quoted(program)
        let environment = variables.map { "Environment=\(AgentUnit.quoted("\($0.name)=\($0.value)"))\n" }
            .joined()
        return """
            # The \(AgentService.mark) on a laptop, for one user:
            #   systemctl --user enable --now focus-agent
            # Commands start the agent by themselves; this keeps it running from login on.
            [Unit]
            Description=Lockstep focus timer

            [Service]
            \(environment)# One that a command has started makes way.
            ExecStartPre=-\(program) agent stop
            ExecStart=\(program) agent run
            Restart=on-failure
            RestartSec=2
            # Starting again helps neither wrong usage (2), nor an agent that runs already (3), nor a revoked laptop (5).
            RestartPreventExitStatus=2 3 5
            UMask=0077

            [Install]
            WantedBy=default.target

            """
    }

    /// A word as units have them: quoted where it isn't plain, and no specifier.
    private static func quoted(_ word: String) -> String {
        let text = word.map { character in
            switch character {
            case "%": "%%"
            case "\\": "\\\\"
            case "\"": "\\\""
            default: String(character)
            }
        }.joined()
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:,@=%".utf8.contains(byte)
            }
        }
        return isPlain ? text : "\"\(text)\""
    }
}
