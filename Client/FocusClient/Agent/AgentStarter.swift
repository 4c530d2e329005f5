import CommandLineKit
import FocusDevice
import SystemKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How commands reach the agent.
struct AgentStarter: AgentContact {
    private let home: Home
    /// Whether an agent may be started where none runs.
    private let mayStart: Bool

    init(_ home: Home, _ environment: Environment) {
        self.home = home
        mayStart = environment["FOCUS_NO_AGENT"].map { $0.isEmpty || $0 == "0" } ?? true
    }

    var isUnwanted: Bool { !mayStart }

    func poke() -> Bool {
        guard let link = AgentLink(home) else { return false }
        return link.send(.poke)
    }

    func startIfNone() throws(CommandFailure) {
        guard mayStart, AgentLink(home) == nil else { return }
        do throws(SystemError) {
            try AgentLauncher.start(program: ProgramPath.present, log: home.agentLog)
        } catch {
            throw CommandFailure(
                "There is no agent, so there are no notifications and hooks don't run: \(error). 'focus agent run' "
                    + "runs it by hand.")
        }
    }

    /// Asks the agent to end, and waits until it has. Throws where there is none, or it doesn't answer.
    func stop() throws(CommandFailure) {
        let holder = AgentLock.holder(home.agentLock)
        guard var link = AgentLink(home), link.send(.stop) else {
            throw noAgent
        }
        // What it says before it goes is of no interest.
        var answer = link.wait(milliseconds: 5_000)
        while case .line = answer { answer = link.wait(milliseconds: 5_000) }
        if answer == .nothing { throw AgentStarter.noAnswer }
        // It hangs up first, and lets go of its lock last: until then another one can't start.
        guard holder != .none else { return }
        for _ in 0..<500 where AgentLock.holder(home.agentLock) == holder { poll(nil, 0, 10) }
    }

    /// Waits until the agent that was just started listens, a second at most unless it says more.
    func waitForStart(atMost limit: Duration = .seconds(1)) {
        guard mayStart else { return }
        for _ in 0..<(limit.components.seconds * 100) where AgentLink(home) == nil {
            poll(nil, 0, 10)
        }
    }

    /// How things stand with the agent. Throws where there is none, or it doesn't answer.
    func status() throws(CommandFailure) -> AgentStatus {
        guard var link = AgentLink(home), link.send(.status) else {
            throw noAgent
        }
        switch link.wait(milliseconds: 2_000) {
        case .line(let line):
            guard let status = AgentStatus(line: line) else { throw AgentStarter.noAnswer }
            return status
        case .nothing: throw AgentStarter.noAnswer
        case .gone: throw noAgent
        }
    }

    /// A link to the page. Throws where there is no agent that serves it.
    func webLink() throws(CommandFailure) -> String {
        guard var link = AgentLink(home), link.send(.web) else {
            throw CommandFailure(
                mayStart
                    ? "The agent, which serves the page, can't be started. \(home.agentLog) may say why."
                    : "The agent serves the page, and FOCUS_NO_AGENT keeps commands from starting it. Run 'focus agent "
                        + "run', or do without FOCUS_NO_AGENT.", .notNow)
        }
        switch link.wait(milliseconds: 5_000) {
        case .line(let line):
            switch PageLink(line: line) {
            case .link(let text): return text
            case .problem(let sentence): throw CommandFailure("The page can't be served. \(sentence)")
            case nil: throw AgentStarter.noAnswer
            }
        case .nothing: throw AgentStarter.noAnswer
        case .gone:
            throw CommandFailure(
                "The running agent is another version, which can't serve the page. Stop it with 'focus agent "
                    + "stop', and try again.")
        }
    }

    /// Has the agent sign out every browser that was let in; false where none runs.
    func forgetBrowsers() throws(CommandFailure) -> Bool {
        guard var link = AgentLink(home), link.send(.forget) else { return false }
        switch link.wait(milliseconds: 5_000) {
        case .line: return true
        case .nothing: throw AgentStarter.noAnswer
        case .gone:
            throw CommandFailure(
                "The agent couldn't do it; \(home.agentLog) may say why. If it is another version, stop it with "
                    + "'focus agent stop', and try again.")
        }
    }

    private var noAgent: CommandFailure {
        guard case .agent(let address) = AgentLock.holder(home.agentLock) else {
            return CommandFailure("The agent isn't running.", .notNow)
        }
        return CommandFailure(
            "The agent (process \(address.process)) can't be reached at \(address.socket): it is just ending, or "
                + "somebody took its socket away, which it makes anew within 5 seconds.", .notNow)
    }
    private static let noAnswer = CommandFailure(
        "The agent is running but doesn't answer: it is busy, or its process was paused. Try again, or stop it with "
            + "'kill'.")
}
