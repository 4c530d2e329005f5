import FocusCore

/// An action of a traitor: a malicious member of the group.
package enum TraitorAction: Hashable, Sendable {
    /// A few actions that the seed chooses.
    case anything
    /// It writes events as any member may, some of them under other devices' replicas.
    case writes
    /// It lists another key of its own, and doesn't use it yet.
    case listsKey
    /// It lets another key of its own in with an invite, and doesn't use it yet.
    case letsKeyIn
    /// It makes an invite, and keeps it.
    case makesInvite
    /// It uses an invite that it has made, with a new key.
    case comesByInvite
    /// It connects with each unused key, and writes a `device` event that gives the key's device a name.
    case wakesKeys
    /// It disconnects, or returns later with its own key.
    case leaves, returns
    /// It sends records without a body for epochs that it invents, and writes an event under each of them.
    case namesEpochs
    /// It uploads this number of unusable records of epochs that follow the newest one.
    case spoilsEpochs(Int)
    /// It makes an epoch that follows the newest one, for some laptops.
    ///
    /// - Parameters:
    ///   - for: The laptops.
    ///   - withItself: Whether the epoch is also for its own keys, including the unused ones.
    ///   - revokingItself: Whether the record says that its first key was revoked.
    case makesEpoch(for: [Int], withItself: Bool, revokingItself: Bool)
    /// It makes an epoch for all devices, with a part for this laptop that doesn't open.
    case spoilsPart(of: Int)
    /// It revokes a laptop's key, in the log or at the server.
    case shutsOut(laptop: Int)
    /// It writes `device` events under the laptop's replicas, with a wrong name and without a key.
    case names(laptop: Int)
    /// The host, its accomplice, sends the laptops events of the traitor that lie too far ahead for an honest
    /// server.
    ///
    /// - Parameters:
    ///   - by: The lead; nil for the greatest possible stamp.
    ///   - as: The laptop that the events seem to be from; nil for the traitor.
    case sendsAhead(by: Duration?, as: Int? = nil)
    /// It readmits its own keys. The stamps lie almost 2 minutes ahead, the most that isn't early. So the
    /// readmission follows the revocation in replay order.
    case takesItselfBack
}
