import CommandLineKit
import FocusContact
import FocusDevice
import SystemKit

/// The agent as a service of the user: the file and commands that make the service manager run the agent from
/// login on.
struct AgentService: Hashable {
    /// The service manager of a system.
    enum Manager: Hashable {
        /// Linux.
        case systemd
        /// macOS. The number is the user's id.
        case launchd(user: UInt32)
    }

    let manager: Manager
    /// The path of `focus`.
    let program: String
    /// The variables to add to the login session's environment for the agent, in order.
    let variables: [Variable]
    /// The path of the file that the manager reads.
    let path: String
    /// The path of the file for the agent's messages, for a manager that keeps none itself.
    let log: String

    /// A variable of an environment.
    struct Variable: Hashable {
        let name: String
        let value: String
    }

    /// Makes the service for the device that `environment` names.
    ///
    /// - Throws: `CommandFailure` if a path isn't absolute, or if it can't be written in a service file.
    init(
        _ manager: Manager, program: String, home: Home, _ environment: Environment
    ) throws(CommandFailure) {
        self.manager = manager
        self.program = program
        log = home.agentLog
        if let home = environment["FOCUS_HOME"] {
            variables = [Variable(name: "FOCUS_HOME", value: home)]
        } else {
            variables = ["XDG_DATA_HOME", "XDG_CONFIG_HOME"].compactMap { name in
                environment.folder(name).map { Variable(name: name, value: $0) }
            }
        }
        let configuration: String?
        switch manager {
        case .systemd:
            configuration = environment.folder("XDG_CONFIG_HOME") ?? environment.home.map { "\($0)/.config" }
        case .launchd: configuration = environment.home.map { "\($0)/Library/LaunchAgents" }
        }
        guard let configuration else {
            throw CommandFailure("There is no home folder, so there is no place for the service's file.")
        }
        switch manager {
        case .systemd: path = "\(configuration)/systemd/user/\(AgentUnit.name)"
        case .launchd: path = "\(configuration)/\(AgentPropertyList.label).plist"
        }
        for text in [program] + variables.map(\.value) {
            guard text.hasPrefix("/") else {
                throw CommandFailure(
                    "'\(text)' isn't an absolute path, so a service can't use it. Set an absolute path.")
            }
            guard SystemText.repaired(text) == text,
                !text.contains(where: { $0 == "$" || $0.unicodeScalars.contains { $0.value < 0x20 } })
            else {
                throw CommandFailure("'\(text)' can't be written in a service's file. Use another path.")
            }
        }
    }

    /// The content of the file.
    var text: String {
        switch manager {
        case .systemd: AgentUnit(program: program, variables: variables).text
        case .launchd: AgentPropertyList(program: program, variables: variables, log: log).text
        }
    }

    /// A text that occurs in every service file that this program writes, and in no other.
    static let identifyingText = "background part of Lockstep"

    /// The command that tests whether the manager can be reached.
    var question: [String] {
        switch manager {
        case .systemd: AgentService.systemctl + ["show-environment"]
        case .launchd(let user): ["launchctl", "print", "gui/\(user)"]
        }
    }

    /// The steps that make the manager load the file and run the agent now.
    var enabling: [Step] {
        switch manager {
        case .systemd:
            [
                Step(AgentService.systemctl + ["daemon-reload"]),
                Step(AgentService.systemctl + ["enable", AgentUnit.name]),
                Step(AgentService.systemctl + ["restart", AgentUnit.name]),
            ]
        case .launchd(let user):
            [
                // These two steps stop an agent that a command started, and an earlier version of the
                // service.
                Step([program, "agent", "stop"], mayFail: true),
                Step(["launchctl", "bootout", "gui/\(user)/\(AgentPropertyList.label)"], mayFail: true),
                Step(["launchctl", "bootstrap", "gui/\(user)", path]),
            ]
        }
    }

    /// A command with the effect of `enabling`, for a person to type.
    var enablingWords: String {
        switch manager {
        case .systemd: "systemctl --user enable --now \(AgentUnit.name)"
        case .launchd(let user): "launchctl bootstrap gui/\(user) \(ShellWord.quoted(path))"
        }
    }

    /// The steps that make the manager stop the agent, and no longer start it.
    var disabling: [Step] {
        switch manager {
        case .systemd: [Step(AgentService.systemctl + ["disable", "--now", AgentUnit.name])]
        case .launchd(let user): [Step(["launchctl", "bootout", "gui/\(user)/\(AgentPropertyList.label)"])]
        }
    }

    /// The steps that make the manager forget the file after it was removed.
    var reloading: [Step] {
        switch manager {
        case .systemd: [Step(AgentService.systemctl + ["daemon-reload"])]
        case .launchd: []
        }
    }

    /// The name of the manager.
    var managerName: String {
        switch manager {
        case .systemd: "systemd"
        case .launchd: "launchd"
        }
    }

    /// A program to run, with its arguments.
    struct Step: Hashable {
        let words: [String]
        let mayFail: Bool

        init(_ words: [String], mayFail: Bool = false) {
            self.words = words
            self.mayFail = mayFail
        }
    }

    private static let systemctl = ["systemctl", "--user"]
}
