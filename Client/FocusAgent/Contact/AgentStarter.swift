import FocusCore
package import FocusDevice
package import FocusLink
package import SystemKit

/// How commands reach the agent.
package struct AgentStarter: AgentContact {
    private let home: Home
    /// Whether an agent may be started where none runs.
    private let mayStart: Bool

    /// The agent of the log in this folder.
    ///
    /// - Parameter environment: where FOCUS_NO_AGENT is set, and not 0, no agent is started. One that runs is spoken to
    ///   all the same.
    package init(_ home: Home, _ environment: Environment) {
        self.home = home
        mayStart = environment["FOCUS_NO_AGENT"].map { $0.isEmpty || $0 == "0" } ?? true
    }

    /// Whether FOCUS_NO_AGENT keeps commands from starting one.
    package var isUnwanted: Bool { !mayStart }

    /// Tells the agent that the log has changed, without waiting for an answer; false where none can be reached.
    package func poke() -> Bool {
        guard let link = AgentLink(home) else { return false }
        return link.send(.poke)
    }

    /// Starts the agent where none can be reached and one is wanted. It isn't waited for: `waitForStart` does that.
    ///
    /// - Throws: where the program can't be started.
    package func startIfNone() throws(AgentFailure) {
        guard mayStart, AgentLink(home) == nil else { return }
        do throws(SystemError) {
            try AgentLauncher.start(program: ProgramPath.present, log: home.agentLog)
        } catch {
            throw .notStarted(error)
        }
    }

    /// Asks the agent to end, and waits until it has. Throws where there is none, or it doesn't answer.
    package func stop() throws(AgentFailure) {
        let holder = AgentLock.holder(home.agentLock)
        guard var link = AgentLink(home), link.send(.stop) else {
            throw noAgent
        }
        // What it says before it goes is of no interest.
        var answer = link.wait(.seconds(5))
        while case .line = answer { answer = link.wait(.seconds(5)) }
        if answer == .nothing { throw .silent }
        // It hangs up first, and lets go of its lock last: until then another one can't start.
        guard holder != .none else { return }
        _ = Looking.wait(atMost: .seconds(5)) { AgentLock.holder(home.agentLock) == holder ? nil : true }
    }

    /// Waits until the agent that was just started listens, a second at most unless it says more.
    package func waitForStart(atMost limit: Duration = .seconds(1)) {
        guard mayStart else { return }
        _ = Looking.wait(atMost: limit) { AgentLink(home) == nil ? nil : true }
    }

    /// How things stand with the agent. Throws where there is none, or it doesn't answer.
    package func status() throws(AgentFailure) -> AgentStatus {
        guard var link = AgentLink(home), link.send(.status) else {
            throw noAgent
        }
        switch link.wait(.seconds(2)) {
        case .line(let line):
            guard let status = AgentStatus(line: line) else { throw .silent }
            return status
        case .nothing: throw .silent
        case .gone: throw noAgent
        }
    }

    /// A link to the page. Throws where there is no agent that serves it.
    package func webLink() throws(AgentFailure) -> String {
        guard var link = AgentLink(home), link.send(.web) else {
            throw .noPage(isUnwanted: !mayStart)
        }
        switch link.wait(.seconds(5)) {
        case .line(let line):
            switch PageLink(line: line) {
            case .link(let text): return text
            case .problem(let sentence): throw .pageFailed(sentence)
            case nil: throw .silent
            }
        case .nothing: throw .silent
        case .gone: throw noAgent
        }
    }

    /// Has the agent sign out every browser that was let in; false where none runs.
    package func forgetBrowsers() throws(AgentFailure) -> Bool {
        guard var link = AgentLink(home), link.send(.forget) else { return false }
        switch link.wait(.seconds(5)) {
        case .line: return true
        case .nothing: throw .silent
        case .gone: throw .notForgotten
        }
    }

    private var noAgent: AgentFailure {
        guard case .agent(let address) = AgentLock.holder(home.agentLock) else { return .absent }
        return .unreachable(address)
    }
}

/// How commands reach the laptop's agent.
package protocol AgentContact {
    /// Whether commands do without an agent, since the person wants none.
    var isUnwanted: Bool { get }
    /// Tells the agent that the log has changed; false where there is none.
    func poke() -> Bool
    /// Starts the agent where none runs. It looks at the log by itself once it does.
    ///
    /// - Throws: where it can't be started.
    func startIfNone() throws(AgentFailure)
}

extension AgentContact {
    /// Lets the rest of the group know that this laptop's log has changed: by the agent, which is started where none
    /// runs, also on a laptop that is alone: it tells of phases that end. Where the person wants none, or it can't be
    /// started, the command has to do it by the errand that is returned, and waits `Errand.pressPatience` for it.
    /// It never fails for want of the server: what was pressed goes with the next.
    ///
    /// - Parameter say: takes why the agent can't be started.
    package func passOn(_ device: Device, orSay say: (AgentFailure) -> Void = { _ in }) -> Errand? {
        if poke() { return nil }
        if !isUnwanted {
            // Otherwise the command would show what was noted before the agent ran.
            try? device.recordStart()
            do throws(AgentFailure) {
                try startIfNone()
                return nil
            } catch {
                try? device.record(ServerLink(.offline))
                say(error)
            }
        }
        return (try? Membership(device)) ?? nil != nil ? .sync : nil
    }
}

/// Why commands couldn't have of the laptop's agent what they wanted.
package enum AgentFailure: Error, Hashable, Sendable {
    /// There is one already.
    case running
    /// There is none.
    case absent
    /// It runs, but nobody can be reached at its address: it is just ending, or lost its socket.
    case unreachable(AgentAddress)
    /// It runs, but doesn't answer.
    case silent
    /// It can't be started.
    case notStarted(SystemError)
    /// It serves no page as there is none: commands may not start it, where `isUnwanted`, or it couldn't be started.
    case noPage(isUnwanted: Bool)
    /// It can't serve the page, for a reason that it gives as sentences.
    case pageFailed(String)
    /// It couldn't sign the browsers out.
    case notForgotten
}

/// Starts the agent in the background, where none runs.
package enum AgentLauncher {
    /// Starts this program again as the agent, in a session of its own; what it says goes to the end of the file
    /// `log`. It ends by itself where an agent runs already.
    ///
    /// Doesn't wait for the agent.
    ///
    /// - Throws: where the system doesn't let it be started.
    package static func start(program: String, log: String) throws(SystemError) {
        _ = try BackgroundProgram.start(program, ["focus", "agent", "run"], messages: log)
    }
}
