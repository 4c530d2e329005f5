/// A deception by the server's host: a way in which it interferes, for a while, with the messages between its
/// server and the laptops.
package enum HostDeception: Hashable, Sendable, CaseIterable {
    /// Withholds other devices' events.
    case withholdsEvents
    /// Withholds records of epochs.
    case withholdsEpochs
    /// Delays all messages in both directions.
    case answersLate
    /// Stores nothing, and answers no upload.
    case takesNothing
    /// Stores nothing, and says that it did.
    case claimsToStore
    /// Isolates a laptop: its uploads are acknowledged and discarded, it receives nothing from the others,
    /// and its welcome is an old one.
    case forks
    /// Sends false heads in the welcome.
    case misstatesHeads
    /// Acknowledges events that it doesn't have, under invented chains.
    case misstatesAcknowledgements
    /// Refuses uploads that it should accept. The time to wait that it names is arbitrary: none, a short one
    /// or a very long one.
    case refusesUploads
    /// Refuses laptops' requests: for invites, revocations and successors of epochs.
    case refusesRequests
    /// Turns laptops away, with any code and any time to wait.
    case turnsAway
    /// Names the wrong group or the wrong key to a laptop that it has let in, or doesn't confirm the
    /// admission. Also tells laptops that haven't asked that they were let in.
    case misstatesEnrolments
    /// Lists devices that nobody has let in, and calls some of them revoked.
    case listsStrangers
    /// Says that laptops of the group are revoked.
    case revokes
    /// Sends false presence.
    case misstatesPresence
    /// Announces addresses that lead nowhere.
    case misstatesAddresses
    /// Sends another time than the server's.
    case shiftsTime
    /// Sends events again, in another order, and other events than were asked for.
    case jumblesEvents
    /// Alters events on their way.
    case altersEvents
    /// Sends events that nobody wrote, and events of other groups.
    case forgesEvents
    /// Sends events of epochs that nobody made, under the replicas and seqs of laptops' next events.
    case usurpsNames
    /// Sends records of epochs that nobody made, or spoils genuine ones.
    case forgesEpochs
    /// Ends connections in the middle.
    case hangsUp
}
