import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import SystemKit

/// How the background part does.
struct AgentCheck {
    private let starter: AgentStarter
    private let home: Home
    /// Whether the laptop is in a group, so that it has a connection to hold.
    private let isMember: Bool

    init(_ starter: AgentStarter, _ home: Home, isMember: Bool) {
        self.starter = starter
        self.home = home
        self.isMember = isMember
    }

    var finding: Finding {
        let status: AgentStatus
        do throws(AgentFailure) {
            status = try starter.status()
        } catch {
            switch error {
            case .absent, .unreachable: return absent
            default: return .wrong(.agent, CommandFailure(error, home).message)
            }
        }
        guard status.version == Lockstep.version else {
            return .wrong(
                .agent,
                "The running agent is version \(status.version), and this is \(Lockstep.version).",
                remedy: "End it: focus agent stop. The next command starts the new one.")
        }
        let place = status.whereabouts(home).map { " \($0)" } ?? ""
        if !isMember { return .fine(.agent, "The agent is running.\(place)") }
        if let problem = status.problem {
            return .note(.agent, "The agent is running, and offline. \(problem)\(place)")
        }
        return .fine(.agent, "The agent is running, and \(status.link.state.rawValue).\(place)")
    }

    private var absent: Finding {
        if starter.isUnwanted {
            let sync = isMember ? " Each change syncs by itself." : ""
            return .note(
                .agent,
                "The agent isn't running, since FOCUS_NO_AGENT is set: there are no notifications, and hooks don't run.\(sync)"
            )
        }
        return .note(
            .agent, "The agent isn't running: there are no notifications, and hooks don't run.",
            remedy: "The next change starts it; 'focus agent install' has it run from login on.")
    }
}

/// Whether the agent would run what lies in the folder of hooks.
struct HookCheck {
    let home: Home

    /// Nothing where there is no such folder, or it is empty.
    var findings: [Finding] {
        let names = names
        guard !names.isEmpty else { return [] }
        let kinds = Happening.Kind.allCases.map(\.rawValue)
        var found: [Finding] = []
        for name in names {
            if let kind = Happening.Kind(rawValue: name) {
                do throws(HookRefusal) {
                    _ = try Hook(for: kind, in: home.hooks)
                } catch {
                    found.append(.wrong(.hooks, "The hook '\(name)' isn't run: \(error.reason)."))
                }
            } else {
                found.append(
                    .note(
                        .hooks, "\(home.hooks)/\(name) is never run: there is no event of that name.",
                        remedy: "Hooks are called \(kinds.joined(separator: ", "))."))
            }
        }
        guard found.isEmpty else { return found }
        return [.fine(.hooks, "The agent runs these hooks: \(names.joined(separator: ", ")).")]
    }

    /// What lies in the folder, sorted, less what is hidden or has a dot in its name, as the copies of editors do.
    private var names: [String] {
        SystemKit.names(inFolder: home.hooks).filter { !$0.contains(".") && !$0.hasSuffix("~") }.sorted()
    }
}

/// Whether the program is there that shows notifications, where they are wanted.
struct NotificationCheck {
    let device: Device
    let environment: Environment

    /// Nothing where it is there, or nobody wants it.
    var findings: [Finding] {
        guard (try? LaptopSetting.notifications.isOn(device.store)) ?? false,
            !ProgramPath.isFound(Notifier.program, in: environment)
        else {
            return []
        }
        return [
            .note(
                .notifications,
                "Notifications can't be shown: \(Notifier.program) isn't in any folder of PATH.",
                remedy: "Install it (Debian's libnotify-bin), or do without: focus set notifications=off")
        ]
    }
}
