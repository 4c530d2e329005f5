package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal

/// What every front end asks of the group: of its server, and of the agent. Each returns once it is done, with what came of
/// it; none prints anything.
package protocol GroupErrands: Sendable {
    /// Makes this laptop part of a group, and has the agent look.
    ///
    /// - Parameters:
    ///   - name: what the others will call this laptop; its present name where nil.
    ///   - choice: what becomes of what was recorded alone.
    ///   - giving: by what somebody else may give it up.
    func join(
        _ invite: Invite, called name: String?, _ choice: AloneHistory.Choice, giving: GivingUp
    ) throws(ErrandTrouble) -> Joined
    /// Makes an invite for another laptop.
    func invite() throws(ErrandTrouble) -> MadeInvite
    /// Syncs now.
    func sync() throws(ErrandTrouble) -> ErrandOutcome
    /// Sees whether the group's server answers, is the one that the laptop knows, and lets it in; gives its addresses.
    func check() throws(ErrandTrouble) -> [String]
    /// Shuts the laptops of these keys out of the group.
    func revoke(_ keys: [Digest]) throws(ErrandTrouble) -> ErrandOutcome
    /// Gives the group's key to the laptop of this key, which came with an old one.
    func accept(_ key: Digest) throws(ErrandTrouble) -> ErrandOutcome
    /// Tells the server and the other laptops that this one leaves the group: the server refuses its key from then on.
    ///
    /// - Returns: Whether it was told. Where not, this laptop's log says that it leaves, and no more.
    /// - Throws: where the server can't be reached, and nothing has changed.
    func part() throws(ErrandTrouble) -> Bool
    /// Lets the other laptops know that this one's log has changed: by the agent, or where there is none by syncing. What
    /// goes wrong is kept quiet: the log keeps what was pressed, and it goes with the next sync.
    ///
    /// - Returns: Who has the group's key, where that came up.
    func logChanged(on device: Device) -> [SyncNotice]
}

extension GroupErrands {
    /// The same of the log on a machine, for a thread that hasn't opened it; where that can't be opened nothing is said.
    package func logChanged(on machine: Machine) -> [SyncNotice] {
        guard let device = try? Device(machine) else { return [] }
        return logChanged(on: device)
    }
}
