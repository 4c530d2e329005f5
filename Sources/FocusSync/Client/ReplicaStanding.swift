import FocusCore

/// Where one replica's events stand between this device and its server.
struct ReplicaStanding: Hashable {
    /// What is being done about the replica.
    enum Work: Hashable {
        /// Nothing but waiting for, or sending, the events that one side lacks.
        case none
        /// Looking for the first event that differs. Then: none, moving, or stopped.
        case comparing(Bisection)
        /// The shell is moving the tail to its branch. Then: none.
        case moving
        /// The replica is left alone until the instant, or for as long as the connection lasts. Then: none.
        case stopped(until: Int64?)
    }

    /// What was done about pushes that part, though both sides had the same as far as the two were compared.
    enum Doubt: Hashable {
        case none
        /// The server was asked for them anew: the log may have changed in between.
        case asked
        /// All was compared again, from the first event on.
        case compared
    }

    /// How far the welcome said that the server has the replica.
    var target: UInt64 = 0
    /// How far the server has the replica, as far as is known.
    var serverSeq: UInt64 = 0
    /// The server's chain there, where it said it.
    var serverChain: Chain?
    /// Both sides have the same events through here.
    var agreed: UInt64 = 0
    /// What was uploaded through here is under way or answered.
    var sent: UInt64 = 0
    /// How many uploads haven't been answered.
    var uploading = 0
    /// The first refusal among them, dealt with once all are answered.
    var stop: Ack.Stop?
    var work = Work.none
    /// Whether it was last stopped for want of an epoch's record.
    var lacksEpoch = false
    /// Whether the server was asked to send the replica's events anew.
    var isWanted = false
    /// Whether the server has said that an upload left a gap, or parted, where by its own heads it can't have.
    var wasContradicted = false
    var doubt = Doubt.none

    /// The server's head is at least here.
    mutating func serverHas(_ seq: UInt64, _ chain: Chain?) {
        guard seq >= serverSeq else { return }
        if seq > serverSeq || serverChain == nil { serverChain = chain }
        serverSeq = seq
    }
}
