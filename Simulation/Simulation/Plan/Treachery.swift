import FocusCore

/// What a traitor does: a member of the group that means harm.
package enum Treachery: Hashable, Sendable {
    /// A few things that the seed says.
    case anything
    /// It writes events as any member may, some of them under others' names.
    case writes
    /// It lists another key of its own, and keeps that asleep.
    case listsKey
    /// It lets another key of its own in with an invite, and keeps that asleep.
    case letsKeyIn
    /// It makes an invite, and keeps it.
    case makesInvite
    /// It comes with an invite that it has made, by a key that nobody has seen.
    case comesByInvite
    /// Its keys that sleep come, and say whose they are.
    case wakesKeys
    /// It goes, and comes back with its own key later.
    case leaves, returns
    /// It names epochs that have no record.
    case namesEpochs
    /// It brings so many records of epochs that follow the newest one, and that nobody can use.
    case spoilsEpochs(Int)
    /// It makes an epoch that follows the newest one, for some laptops.
    ///
    /// - Parameters:
    ///   - isIn: whether the epoch is made for its own keys, too, those asleep included.
    ///   - isRevoked: whether the record says that its first key was revoked.
    case makesEpoch(for: [Int], withItself: Bool, revokingItself: Bool)
    /// It makes an epoch for all, in which this laptop's part doesn't open.
    case spoilsPart(of: Int)
    /// It says of a laptop's key, in the log or to the server, that it is shut out.
    case shutsOut(laptop: Int)
    /// It writes as a laptop, and says that this one has no key.
    case names(laptop: Int)
    /// The host, which is in league with it, sends the laptops what it wrote so far ahead that no honest server takes it.
    ///
    /// - Parameters:
    ///   - lead: how far; nil stands for as far as stamps go.
    ///   - laptop: the laptop that is to seem their author; nil if the traitor is.
    case sendsAhead(by: Duration?, as: Int? = nil)
    /// It says that its own key was taken back, as late as it may, so that this comes after its revocation.
    case takesItselfBack
}
