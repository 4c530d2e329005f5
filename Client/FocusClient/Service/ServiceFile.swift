import FocusDevice
import FocusFront
import SystemKit

/// A systemd unit that runs the agent, for one user. deploy/focus-agent.service is the unit for a program in
/// /usr/local/bin. A test checks that both are equal.
package struct AgentUnit: Hashable, Sendable {
    /// The name of its file.
    static let name = "focus-agent.service"

    private let program: String
    private let variables: [AgentService.Variable]

    /// Makes the unit for the program at this path.
    package init(program: String) { self.init(program: program, variables: []) }

    init(program: String, variables: [AgentService.Variable]) {
        self.program = program
        self.variables = variables
    }

    /// The content of the file (systemd.service(5)).
    package var text: String {
        let program = UnitWord.quoted(program)
        let environment = variables.map { "Environment=\(UnitWord.quoted("\($0.name)=\($0.value)"))\n" }
            .joined()
        return """
            # The \(AgentService.identifyingText) on a laptop, for one user:
            #   systemctl --user enable --now focus-agent
            # Commands start the agent by themselves; this keeps it running from login on.
            [Unit]
            Description=Lockstep focus timer

            [Service]
            \(environment)# End an agent that a command has started.
            ExecStartPre=-\(program) agent stop
            ExecStart=\(program) agent run
            Restart=on-failure
            RestartSec=2
            # A restart doesn't help after wrong usage (2), if an agent runs already (3), or on a revoked laptop (5).
            RestartPreventExitStatus=2 3 5
            UMask=0077

            [Install]
            WantedBy=default.target

            """
    }
}

/// A launchd property list that runs the agent, for one user.
struct AgentPropertyList: Hashable {
    /// The name of the service in launchd, and of its file.
    static let label = "org.lockstep.focus-agent"

    let program: String
    let variables: [AgentService.Variable]
    /// The path of the file for the agent's messages.
    let log: String

    /// The content of the file (launchd.plist(5)).
    var text: String {
        let entries = variables.map {
            "<key>\(AgentPropertyList.escaped($0.name))</key><string>\(AgentPropertyList.escaped($0.value))</string>"
        }
        let environment =
            entries.isEmpty
            ? "" : "    <key>EnvironmentVariables</key>\n    <dict>\(entries.joined())</dict>\n"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- The \(AgentService.identifyingText) on a laptop, for one user. -->
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
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
}
