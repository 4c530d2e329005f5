/// What the agent says in words of its own to whoever asks.
package enum AgentText {
    package static let ending = "The agent is ending."
}
