package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusNet

/// The agent's log. The program that runs the agent turns the events into words.
package struct AgentLog: Sendable {
    private let clocks: MachineClocks
    private let put: @Sendable (AgentLogEvent, SharedInstant) -> Void

    /// A log that is written by `put`.
    ///
    /// - Parameter put: Writes an event and its time.
    package init(
        _ clocks: MachineClocks, put: @escaping @Sendable (AgentLogEvent, SharedInstant) -> Void
    ) {
        self.clocks = clocks
        self.put = put
    }

    /// Writes an event that has just happened.
    package func write(_ event: AgentLogEvent) { put(event, clocks.wall()) }
}

/// An event in the agent's log. It never holds a key, a token or a label.
package enum AgentLogEvent: Sendable {
    // The process.

    /// The agent has started, with this process id.
    case started(process: Int32)
    /// The lock's file was missing or replaced, and was made again.
    case lockRecreated
    /// The socket was missing or replaced, and was made again.
    case socketRecreated
    /// The agent can't serve the device's log any more, for this reason, and ends.
    case cannotServe(AgentEndpointFailure)
    /// An operation of the process failed.
    case failed(any Error)

    // The agent and its connection.

    /// An event of the agent itself.
    case agent(AgentEvent)
    /// After catching up, the agent wrote this number of events by itself.
    case caughtUp(written: Int)
    /// A notice about syncing for the person.
    case noticed(SyncNotice)

    // Hooks, notifications and the page.

    /// A hook didn't run, or not to its end.
    case hook(HookTrouble)
    /// Notifications can't be shown.
    case noNotifications(NotifierTrouble)
    /// Notifications are shown again.
    case notifies
    /// The page is served at this port.
    case servesPage(port: UInt16)
    case cannotServePage(any Error)

    // The server that this laptop shares.

    /// The server was started, with this process id.
    case startedServer(process: Int32)
    case cannotStartServer(SharingFailure)
    /// The server ended soon after its start. The file at this path has its messages.
    case serverEndedSoon(messages: String)
}

/// The reason why an agent can't serve the device's log any more.
package enum AgentEndpointFailure: Error {
    /// The lock's file is missing or replaced, and the lock can't be taken again: another agent may have it.
    case lockGone
    /// The device's log was moved away or removed, as a person does with a damaged one.
    case logGone
    /// No command can reach the agent: no socket can be made, for this reason.
    case socketGone(any Error)
}

/// The reason why a hook's file isn't run.
package enum HookRefusal: Error, Hashable, Sendable {
    /// This path isn't a regular file.
    case noFile(String)
    /// Other users can change this path.
    case changeable(String)
    /// The file at this path isn't executable.
    case notExecutable(String)
}

/// A problem with a hook.
package enum HookTrouble: Sendable {
    /// Its file isn't run, for this reason.
    case refused(Happening.Kind, HookRefusal)
    /// Too many other hooks were waiting.
    case crowdedOut(Happening.Kind)
    /// The program at this path couldn't be started.
    case notStarted(path: String, NetError)
    /// The program ended with a failure.
    case ended(path: String, ChildProcess.End)
    /// It was ended after this time.
    case tookTooLong(path: String, Duration)
}

/// The reason why notifications can't be shown. Usually there is no desktop.
package enum NotifierTrouble: Sendable {
    /// The program that shows them ended with a failure.
    case ended(program: String, ChildProcess.End)
    /// The program couldn't be started.
    case notStarted(NetError)
}
