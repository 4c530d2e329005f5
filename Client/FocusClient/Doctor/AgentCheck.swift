import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront

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
