/// A property list of launchd's that runs the agent, for one user.
struct AgentPropertyList: Hashable {
    /// What launchd knows the service by, and its file is called.
    static let label = "org.lockstep.focus-agent"

    let program: String
    let variables: [AgentService.Variable]
    /// Where the agent's messages go.
    let log: String

    /// What the file holds (launchd.plist(5)).
    var text: String {
        let entries = variables.map {
            "<key>\(AgentPropertyList.escaped($0.name))</key><string>\(AgentPropertyList.escaped($0.value))</string>"
        }
        let environment =
            entries.isEmpty
            ? "" : "    <key>EnvironmentVariables</key>\n    <dict>\(entries.joined())</dict>\n"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- The \(AgentService.mark) on a laptop, for one user. -->
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key><string>\(AgentPropertyList.label)</string>
                <key>ProgramArguments</key>
                <array>
                    <string>\(AgentPropertyList.escaped(program))</string>
                    <string>agent</string>
                    <string>run</string>
                </array>
            \(environment)    <key>RunAtLoad</key><true/>
                <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
                <key>ProcessType</key><string>Background</string>
                <key>Umask</key><integer>63</integer>
                <key>StandardErrorPath</key><string>\(AgentPropertyList.escaped(log))</string>
            </dict>
            </plist>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }.joined()
    }
}
