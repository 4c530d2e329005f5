import FocusCore
package import FocusDevice
package import FocusLink
package import SystemKit

/// The commands' way to reach the agent.
package struct AgentClient: AgentContact {
    private let home: Home
    /// Whether an agent may be started if none runs.
    private let mayStart: Bool

    /// The agent of the log in this folder.
    ///
    /// - Parameter environment: If FOCUS_NO_AGENT is neither empty nor 0, no agent is started. A running
    ///   agent is used all the same.
    package init(_ home: Home, _ environment: Environment) {
        self.home = home
        mayStart = environment["FOCUS_NO_AGENT"].map { $0.isEmpty || $0 == "0" } ?? true
    }

    /// Whether FOCUS_NO_AGENT keeps commands from starting an agent.
    package var isAgentUnwanted: Bool { !mayStart }

    /// Tells the agent that the log has changed, without waiting for an answer. Returns false if no agent can
    /// be reached.
    package func poke() -> Bool {
        guard let link = AgentConnection(home) else { return false }
        return link.send(.poke)
    }

    /// Starts the agent if none can be reached and one is wanted. Doesn't wait for it; see `waitForStart`.
    ///
    /// - Throws: `AgentFailure` if the program can't be started.
    package func startIfNone() throws(AgentFailure) {
        guard mayStart, AgentConnection(home) == nil else { return }
        do throws(SystemError) {
            try AgentLauncher.start(program: ProgramPath.present, log: home.agentLog)
        } catch {
            throw .notStarted(error)
        }
    }

    /// Asks the agent to end, and waits until it has. Throws if no agent can be reached, or it doesn't
    /// answer.
    package func stop() throws(AgentFailure) {
        let holder = AgentLock.holder(home.agentLock)
        guard var link = AgentConnection(home), link.send(.stop) else {
            throw noAgent
        }
        // Messages before the end are ignored.
        var answer = link.wait(.seconds(5))
        while case .line = answer { answer = link.wait(.seconds(5)) }
        if answer == .nothing { throw .silent }
        // The agent closes the connection first, and releases its lock last. Until then no other agent can
        // start.
        guard holder != .none else { return }
        _ = Polling.wait(atMost: .seconds(5)) { AgentLock.holder(home.agentLock) == holder ? nil : true }
    }

    /// Waits up to `limit` until the agent that was just started listens.
    package func waitForStart(atMost limit: Duration = .seconds(1)) {
        guard mayStart else { return }
        _ = Polling.wait(atMost: limit) { AgentConnection(home) == nil ? nil : true }
    }

    /// Returns the agent's status. Throws if no agent can be reached, or it doesn't answer.
    package func status() throws(AgentFailure) -> AgentStatus {
        guard var link = AgentConnection(home), link.send(.status) else {
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

    /// Returns a link to the page. Throws if no agent serves it.
    package func webLink() throws(AgentFailure) -> String { try link(.web) }

    /// Returns the address of a new calendar feed. Throws if no agent serves it, or if there is a feed
    /// already and `isRenewing` is false.
    package func calendarAddress(renewing isRenewing: Bool) throws(AgentFailure) -> String {
        try link(isRenewing ? .renewCalendar : .calendar)
    }

    private func link(_ call: AgentCall) throws(AgentFailure) -> String {
        guard var link = AgentConnection(home), link.send(call) else {
            throw .noPage(isAgentUnwanted: !mayStart)
        }
        switch link.wait(.seconds(5)) {
        case .line(let line):
            switch PageLink(line: line) {
            case .link(let text): return text
            case .hasCalendar: throw .hasCalendar
            case .problem(let sentence): throw .pageFailed(sentence)
            case nil: throw .silent
            }
        case .nothing: throw .silent
        case .gone: throw noAgent
        }
    }

    /// Asks the agent to sign out all browsers, and to end the calendar feed. Returns false if no agent runs.
    package func forgetBrowsers() throws(AgentFailure) -> Bool {
        guard var link = AgentConnection(home), link.send(.forget) else { return false }
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

/// The commands' way to reach the laptop's agent.
package protocol AgentContact {
    /// Whether commands do without an agent, because the person wants none.
    var isAgentUnwanted: Bool { get }
    /// Tells the agent that the log has changed. Returns false if no agent can be reached.
    func poke() -> Bool
    /// Starts the agent if none runs. The agent then reads the log by itself.
    ///
    /// - Throws: `AgentFailure` if it can't be started.
    func startIfNone() throws(AgentFailure)
}

extension AgentContact {
    /// Tells the agent that this laptop's log has changed, so that the group hears of it. Starts the agent if
    /// none runs, even in no group, because the agent reports the ends of phases.
    ///
    /// - Parameter say: Takes the reason if the agent can't be started.
    /// - Returns: A group operation that the caller has to run instead of the agent, or nil. The caller waits
    ///   `GroupOperation.pressPatience` for it, and ignores a server that can't be reached: the next sync
    ///   sends the events.
    package func passOn(_ device: Device, orSay say: (AgentFailure) -> Void = { _ in }) -> GroupOperation? {
        if poke() { return nil }
        if !isAgentUnwanted {
            // Otherwise the command would show the connection by a record from before the agent's start.
            try? device.recordStart()
            do throws(AgentFailure) {
                try startIfNone()
                return nil
            } catch {
                try? device.record(ConnectionState(.offline))
                say(error)
            }
        }
        return (try? Membership(device)) ?? nil != nil ? .sync : nil
    }
}

/// The reason why the laptop's agent couldn't do what a command wanted.
package enum AgentFailure: Error, Hashable, Sendable {
    /// An agent already runs.
    case running
    /// No agent runs.
    case absent
    /// It runs, but can't be reached at its address: it is just ending, or lost its socket.
    case unreachable(AgentAddress)
    /// It runs, but doesn't answer.
    case silent
    /// It can't be started.
    case notStarted(SystemError)
    /// There is no page because no agent runs: commands may not start one (`isAgentUnwanted`), or it couldn't
    /// be started.
    case noPage(isAgentUnwanted: Bool)
    /// It can't serve the page, for a reason that it gives as sentences.
    case pageFailed(String)
    /// There is a calendar feed already, with an address that isn't stored.
    case hasCalendar
    /// It couldn't sign the browsers out.
    case notForgotten
}

/// Starts the agent in the background.
package enum AgentLauncher {
    /// Starts this program again as the agent, in a session of its own. The agent's messages are appended to
    /// the file `log`. The new agent ends by itself if another agent runs.
    ///
    /// Doesn't wait for the agent.
    ///
    /// - Throws: `SystemError` if the system can't start it.
    package static func start(program: String, log: String) throws(SystemError) {
        _ = try BackgroundProgram.start(program, ["focus", "agent", "run"], messages: log)
    }
}
