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
    /// Checks whether the group's server answers, is the known one, and lets the laptop in. Returns the
    /// address at which it answered.
    func check() throws(GroupOperationError) -> String
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
    /// Shares from this laptop: runs a server here, and makes an invite for another laptop. If this laptop is
    /// in no group, first makes a group on that server.
    ///
    /// - Parameters:
    ///   - name: This laptop's name for the others, or nil to keep its present name.
    ///   - cancellation: Lets another thread cancel the operation.
    /// - Throws: `GroupOperationError`, also if the laptop's group has another server.
    func share(called name: String?, cancellation: Cancellation) throws(GroupOperationError) -> SharedInvite
    /// Ends the server on this laptop. The group stays, and each laptop goes on by itself.
    func stopSharing() throws(GroupOperationError) -> SharingEnd
    /// Tells the laptops of the group that the server on this laptop moves to this address, and makes a backup for
    /// the new server.
    ///
    /// - Parameters:
    ///   - address: The new server's address, or `auto` to stay with this laptop after all.
    ///   - isConfirmed: Whether to stay even if the server may run elsewhere (`SharingFailure.mayHaveMoved`).
    /// - Returns: The path of the backup; nil if the server stays.
    func prepareMove(to address: String, isConfirmed: Bool) throws(GroupOperationError) -> String?
    /// Tells the other laptops that this one's log has changed: through the agent, or by syncing if there is
    /// none. Ignores errors, because the log keeps the events and the next sync sends them.
    ///
    /// - Returns: Notices about who has the group's key, if there are any.
    func announceLocalChanges(on device: Device) -> [SyncNotice]
}

/// An invite to the group that this laptop shares.
package struct SharedInvite: Sendable {
    /// The invite for another laptop.
    package let invite: PublishedInvite
    /// The port of the server on this laptop.
    package let port: UInt16
    /// The result of joining; nil if the laptop was in the group already.
    package let joined: JoinResult?
    /// The obstacles between other laptops and this one.
    package let problems: [SharingProblem]
    /// Whether the laptop has brought a new group to a server that was here before, perhaps with a group that the
    /// laptop has left.
    package let isNewGroupOnFormerServer: Bool

    /// Makes an invite from its parts.
    package init(
        invite: PublishedInvite, port: UInt16, joined: JoinResult?, problems: [SharingProblem],
        isNewGroupOnFormerServer: Bool = false
    ) {
        self.isNewGroupOnFormerServer = isNewGroupOnFormerServer
        self.invite = invite
        self.port = port
        self.joined = joined
        self.problems = problems
    }
}

/// The result of ending the server on this laptop.
package struct SharingEnd: Sendable {
    /// The path of the server's data folder, which stays.
    package let data: String
    /// The laptop's state now.
    package let state: State

    /// The state of a laptop after the server on it was ended.
    package enum State: Sendable {
        /// The laptop is in a group of that server.
        ///
        /// - Parameters:
        ///   - sync: The result of the last sync, before the server ended; nil if the server didn't run.
        ///   - move: The state of the server's move to another machine; nil if none was prepared.
        ///   - isAlone: Whether the group has no other laptop.
        case inside(sync: Result<Void, GroupOperationError>?, move: Move? = nil, isAlone: Bool = false)
        /// The laptop is in no group of that server. It may have left it. `isMoving`: Whether a move to another
        /// machine was prepared.
        case outside(isMoving: Bool)
    }

    /// The state of a move to another machine after the server here was ended.
    package enum Move: Hashable, Sendable {
        /// The server answers there, at this address.
        case complete(at: String)
        /// No server answers there yet, as far as the laptop can tell.
        case waiting
    }

    /// Makes a result from its parts.
    package init(data: String, _ state: State) {
        self.data = data
        self.state = state
    }
}

extension GroupOperations {
    /// Tells the other laptops that this machine's log has changed, from a thread that hasn't opened the log.
    /// Does nothing if the log can't be opened.
    package func announceLocalChanges(on machine: Machine) -> [SyncNotice] {
        guard let device = try? Device(machine) else { return [] }
        return announceLocalChanges(on: device)
    }
}
