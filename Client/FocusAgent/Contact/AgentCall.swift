/// What a command may ask the agent, one line each, over the local socket.
package enum AgentCall: String, Hashable, Sendable {
    /// The log has changed: look at it, and send what is new.
    case poke
    /// Look whether the machine has slept, before something is pressed, and say `looked`.
    case look
    /// Say `changed` now, and whenever the log or who is online has changed.
    case follow
    /// The same, and `bell` where a sound is to be made that the agent can't make.
    case ring
    /// Say how things stand, as one line of JSON.
    case status
    /// Serve the page, and give a link that lets one browser in, as one line of JSON (`PageLink`).
    case web
    /// Let no browser in any more that was let in before, and say `forgotten`.
    case forget
    /// End.
    case stop

    /// The longest call, in bytes.
    static let lengthLimit = 64

    /// What the agent says to those who follow.
    static let changed = "changed\n"
    /// What it says to one of those who ring.
    static let bell = "bell\n"
    /// What the agent says to `look`.
    static let looked = "looked\n"
    /// What the agent says to `forget`.
    static let forgotten = "forgotten\n"
    /// What the agent says to `stop`.
    static let stopping = "stopping\n"
}
