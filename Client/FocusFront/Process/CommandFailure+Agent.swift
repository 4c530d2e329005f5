package import CommandLineKit
package import FocusContact
package import FocusDevice
import FocusNet

extension CommandFailure {
    /// Describes why the agent couldn't do what a command wanted, and the remedy. `home` has the agent's log.
    package init(_ failure: AgentFailure, _ home: Home) {
        switch failure {
        case .running: self.init("The agent is already running.", .notNow)
        case .absent: self.init("The agent isn't running.", .notNow)
        case .unreachable(let address):
            self.init(
                "The agent (process \(address.process)) can't be reached at \(address.socket): it is ending, or its "
                    + "socket was deleted. It makes a new one within 20 seconds. Try again then.", .notNow)
        case .silent:
            let process =
                if case .agent(let address) = AgentLock.holder(home.agentLock) { "\(address.process)" } else {
                    "PROCESS"
                }
            self.init(
                "The agent is running but doesn't answer: it is busy, or its process was paused. Try again, or end it: "
                    + "kill -KILL \(process)")
        case .notStarted(let error):
            self.init(
                "There is no agent, so there are no notifications and hooks don't run: \(error). 'focus agent run' "
                    + "runs it by hand.")
        case .noPage(isAgentUnwanted: false):
            self.init(
                "The agent, which serves the page, can't be started. \(home.agentLog) may say why.", .notNow)
        case .noPage(isAgentUnwanted: true):
            self.init(
                "The agent serves the page, and FOCUS_NO_AGENT keeps commands from starting it. Run 'focus agent "
                    + "run', or unset FOCUS_NO_AGENT.", .notNow)
        case .pageFailed(let sentence): self.init("The page can't be served. \(sentence)")
        case .hasCalendar:
            self.init(
                "There is a calendar address already. It was shown when it was made, and isn't stored. "
                    + "'focus web --calendar --renew' makes a new one and ends that one.", .notNow)
        // The agent couldn't sign the browsers out.
        case .notForgotten:
            self.init(
                "The agent couldn't do it; \(home.agentLog) may say why. If it is another version, stop it with "
                    + "'focus agent stop', and try again.")
        }
    }

    /// Describes the reason why the agent of the log in `home` can't run.
    package init(ofRunning error: any Error, _ home: Home) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as AgentFailure: self.init(failure, home)
        case let failure as DeviceFailure: self.init(failure)
        case let error as NetError: self.init("The agent can't run. \(error.sentence)")
        default: self.init("The agent can't run: \(error)")
        }
    }

    /// Describes the error that ended a view.
    fileprivate init(ofShowing error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as DeviceFailure: self.init(failure)
        case let error as NetError: self.init(error.sentence)
        default: self.init("\(error)")
        }
    }
}

/// Calls the agent of the log in `home`, and describes a failure for people.
package func callAgent<Result>(
    _ home: Home, _ body: () throws(AgentFailure) -> Result
) throws(CommandFailure) -> Result {
    do throws(AgentFailure) { return try body() } catch { throw CommandFailure(error, home) }
}

/// Runs a view until it ends, and describes the error that ended it.
package func runView(_ body: () throws -> Void) throws(CommandFailure) {
    do { try body() } catch { throw CommandFailure(ofShowing: error) }
}
