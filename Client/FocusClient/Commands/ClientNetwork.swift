package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal

/// What commands want of the server and of the agent. The dispatcher hands it over here, and nothing else of the
/// commands knows of sockets. Every function returns once it is done.
package protocol ClientNetwork: Sendable {
    /// Makes this laptop part of a group, and has the agent look.
    ///
    /// - Parameters:
    ///   - name: what the others will call this laptop; its present name where nil.
    ///   - choice: what becomes of what was recorded alone.
    ///   - giving: by what somebody else may give it up.
    func join(
        _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp,
        in context: CommandContext
    ) throws(CommandFailure) -> Joined
    /// Makes an invite for another laptop.
    func invite(in context: CommandContext) throws(CommandFailure) -> MadeInvite
    /// Syncs now and prints what moved.
    func sync(json: Bool, in context: CommandContext) throws(CommandFailure)
    /// Sees whether the group's server answers, is the one that the laptop knows, and lets it in; gives its addresses.
    func check(in context: CommandContext) throws(CommandFailure) -> String
    /// Shuts laptops of the group out.
    ///
    /// - Parameter names: what people are told that they are called.
    func revokeDevices(
        _ keys: [Digest], called names: String, in context: CommandContext
    ) throws(CommandFailure)
    /// Gives the group's key to a laptop that came with an old one.
    ///
    /// - Parameter name: what people are told that it is called.
    func acceptDevice(
        _ key: Digest, called name: String, in context: CommandContext
    ) throws(CommandFailure)
    /// Tells the server and the other laptops that this one leaves the group: the server refuses its key from then on.
    ///
    /// - Returns: Whether it was told. Where not, this laptop's log says that it leaves, and no more.
    /// - Throws: where the server can't be reached, and nothing has changed.
    func part(in context: CommandContext) throws(CommandFailure) -> Bool
    /// Is the agent, shows or stops it.
    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure)
    /// Lets the other laptops know that this one's log has changed. What goes wrong is kept quiet: the log keeps
    /// what was pressed, and it goes with the next sync.
    func logChanged(on device: Device, in context: CommandContext)
    /// Shows the full-screen view, until the person leaves it.
    func view(in context: CommandContext) throws(CommandFailure)
    /// Has the agent serve the page, and prints a link to it or opens it; or ends what browsers are let in by.
    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure)
    /// Prints the state at each change and each second, until the process is ended.
    func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure)
}
