package import FocusLink

/// Whoever is told what the agent does. All calls come on the agent's thread.
package protocol AgentObserver: OwnWritingObserver {
    /// A line for the agent's log: never a key, a token or a label.
    func say(_ line: String)
    /// Something happened while syncing that the person should know.
    func noticed(_ notice: SyncNotice)
    /// What is shown may be something else now.
    func changed(_ what: AgentChange)
    /// The agent has ended; nothing comes after this.
    func ended()
}

/// What may be something else than it was.
package enum AgentChange: Hashable, Sendable {
    /// What the log comes to, or which log it is.
    case log
    /// How the connection stands, and who else is there.
    case link
}
