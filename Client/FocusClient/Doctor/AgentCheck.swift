import CommandLineKit
import FocusCore

/// How the background part does.
struct AgentCheck {
    private let starter: AgentStarter
    /// Whether the laptop is in a group, so that there is something for it to do.
    private let isNeeded: Bool

    init(_ starter: AgentStarter, isNeeded: Bool) {
        self.starter = starter
        self.isNeeded = isNeeded
    }

    var finding: Finding {
        let status: AgentStatus
        do throws(CommandFailure) {
            status = try starter.status()
        } catch  where error.status == .notNow {
            return absent
        } catch {
            return .wrong(.agent, error.message)
        }
        guard status.version == Lockstep.version else {
            return .wrong(
                .agent,
                "The agent that runs is of version \(status.version), and this is \(Lockstep.version).",
                remedy: "End it: focus agent stop. The next command starts the new one.")
        }
        if let problem = status.problem { return .note(.agent, "The agent runs, and is offline. \(problem)") }
        return .fine(.agent, "The agent runs, and is \(status.link.state.rawValue).")
    }

    private var absent: Finding {
        if !isNeeded { return .fine(.agent, "The agent doesn't run, and has nothing to do.") }
        if starter.isUnwanted {
            return .note(.agent, "The agent doesn't run, as FOCUS_NO_AGENT says; each press syncs by itself.")
        }
        return .note(
            .agent, "The agent doesn't run.",
            remedy: "The next press starts it; 'focus agent install' has it run from login on.")
    }
}
