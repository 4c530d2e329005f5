/// What a host that lies does with what its server and the laptops say to each other, for a while.
package enum Deceit: Hashable, Sendable, CaseIterable {
    /// It keeps others' events back.
    case withholdsEvents
    /// It keeps records of epochs back.
    case withholdsEpochs
    /// It passes everything on late, in either direction.
    case answersLate
    /// It stores nothing, and says nothing of that.
    case takesNothing
    /// It stores nothing, and says that it did.
    case claimsToStore
    /// A laptop lives in a world of its own: what it brings goes nowhere, though it is acknowledged, it hears nothing of
    /// the others, and the welcome is one of long ago.
    case forks
    /// It says of logs in its welcome what isn't so.
    case misstatesHeads
    /// It acknowledges what it doesn't have, under chains that it makes up.
    case misstatesAcknowledgements
    /// It refuses what it ought to take, and asks for no patience or for a lot.
    case refusesUploads
    /// It refuses what laptops ask for: invites, revocations, successors of epochs.
    case refusesRequests
    /// It turns laptops away, with any code, and any time to wait.
    case turnsAway
    /// It says wrongly into which group it has let a laptop, or with which key, or doesn't say it; and says so to those
    /// that haven't asked.
    case misstatesEnrolments
    /// It lists devices that nobody has let in, and calls some of them revoked.
    case listsStrangers
    /// It says of laptops of the group that they are revoked.
    case revokes
    /// It says wrongly who is connected.
    case misstatesPresence
    /// Its time is another than its server's.
    case shiftsTime
    /// It sends events again, in another order, and as others than were asked for.
    case jumblesEvents
    /// It changes events on their way.
    case altersEvents
    /// It sends events that nobody wrote, and those of other groups.
    case forgesEvents
    /// It sends events, of epochs that nobody made, under the names that laptops' next events will have.
    case usurpsNames
    /// It sends records of epochs that nobody made, or spoils those that somebody did.
    case forgesEpochs
    /// It ends connections in the middle.
    case hangsUp
}
