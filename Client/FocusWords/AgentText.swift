/// What the agent says in words of its own to whoever asks.
package enum AgentText {
    /// Why it does nothing more.
    package static let ending = "The agent is ending."
}
