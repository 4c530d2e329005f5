package import FocusLink
package import FocusStore

/// An event of the agent itself, without its process: for the agent's log, or a browser's console. It never
/// holds a key, a token or a label.
package enum AgentEvent: Sendable {
    case stopping
    /// An operation on the log failed.
    case failed(StoreError)
    /// The machine was suspended, and runs again.
    case woke
    case connected
    /// The connection ended, with a problem.
    case offline(SyncEnd)
}
