/// The commands that need the server or the agent. The dispatcher hands them over here, and nothing else of
/// the commands knows of sockets.
package protocol ClientNetwork: Sendable {
    /// Makes this laptop part of a group; `name` is what the others will call it.
    func join(_ invite: InviteSource, name: String?, in context: CommandContext) async throws(CommandFailure)
    /// Prints an invite for another laptop.
    func invite(in context: CommandContext) async throws(CommandFailure)
    /// Syncs now and prints what moved.
    func sync(json: Bool, in context: CommandContext) async throws(CommandFailure)
    /// Shuts a laptop of the group out.
    func revokeDevice(_ name: String, in context: CommandContext) async throws(CommandFailure)
    /// Is the agent, shows or stops it.
    func agent(_ request: AgentRequest, in context: CommandContext) async throws(CommandFailure)
    /// Prints the state at each change and each second, until the process is ended.
    func follow(_ form: StatusForm, in context: CommandContext) async throws(CommandFailure)
}
