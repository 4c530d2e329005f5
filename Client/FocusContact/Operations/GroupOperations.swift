package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal

/// The group operations that front ends run, with the group's server and the agent. Each operation returns its
/// result when it is done, and prints nothing.
package protocol GroupOperations: Sendable {
    /// Joins a group, or brings one to a server, and tells the agent.
    ///
    /// - Parameters:
    ///   - invite: The invite to the group.
    ///   - name: This laptop's name for the others, or nil to keep its present name.
    ///   - choice: Whether the solo history is taken along.
    ///   - cancellation: Lets another thread cancel the operation.
    func join(
        _ invite: Invite, called name: String?, _ choice: SoloHistory.Choice, cancellation: Cancellation
    ) throws(GroupOperationError) -> JoinResult
    /// Makes an invite for another laptop.
    func invite() throws(GroupOperationError) -> PublishedInvite
    /// Syncs now.
    func sync() throws(GroupOperationError) -> GroupOperationResult
    /// Checks whether the group's server answers, is the known one, and lets the laptop in. Returns its
    /// addresses.
    func check() throws(GroupOperationError) -> [String]
    /// Revokes the laptops with these public keys' hashes.
    func revoke(_ keys: [Digest]) throws(GroupOperationError) -> GroupOperationResult
    /// Gives the group's key to the latecomer with this public key's hash.
    func accept(_ key: Digest) throws(GroupOperationError) -> GroupOperationResult
    /// Tells the server and the other laptops that this one leaves the group. From then on the server refuses
    /// its key.
    ///
    /// - Returns: Whether the server has the event by which this laptop leaves, or had shut it out before. If
    ///   not, only this laptop's log says that it leaves.
    /// - Throws: `GroupOperationError` if the server can't be reached; nothing has changed then.
    func leave() throws(GroupOperationError) -> Bool
    /// Tells the other laptops that this one's log has changed: through the agent, or by syncing if there is
    /// none. Ignores errors, because the log keeps the events and the next sync sends them.
    ///
    /// - Returns: Notices about who has the group's key, if there are any.
    func announceLocalChanges(on device: Device) -> [SyncNotice]
}

extension GroupOperations {
    /// Tells the other laptops that this machine's log has changed, from a thread that hasn't opened the log.
    /// Does nothing if the log can't be opened.
    package func announceLocalChanges(on machine: Machine) -> [SyncNotice] {
        guard let device = try? Device(machine) else { return [] }
        return announceLocalChanges(on: device)
    }
}
