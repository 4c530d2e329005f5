package import FocusDevice
package import FocusLink

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
            do throws(AgentFailure) {
                try startIfNone()
                return nil
            } catch {
                say(error)
            }
        }
        return (try? Membership(device)) ?? nil != nil ? .sync : nil
    }
}
