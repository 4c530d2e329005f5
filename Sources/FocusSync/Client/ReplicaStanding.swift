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
        /// The replica is left alone. Then: none.
        case stopped(Stop)
    }

    /// A replica is left alone.
    struct Stop: Hashable {
        /// Until then; nil for as long as the connection lasts.
        var until: SteadyInstant?
        /// Whether it is for want of an epoch's record.
        let lacksEpoch: Bool
    }

    /// How far the server has the replica, as far as is known.
    struct ServerHead: Hashable {
        var seq: UInt64 = 0
        /// The chain there, where the server said it.
        var chain: Chain?
    }

    /// What was uploaded.
    struct Uploaded: Hashable {
        /// What is under way or answered ends here.
        var through: UInt64 = 0
        /// How many uploads haven't been answered.
        var unanswered = 0
        /// The first refusal among them, dealt with once all are answered.
        var refusal: Ack.Stop?
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
    let target: UInt64
    private(set) var server: ServerHead
    /// Both sides have the same events through here.
    var agreed: UInt64 = 0
    var uploaded = Uploaded()
    var work = Work.none
    /// Whether the server was asked to send the replica's events anew.
    var isWanted = false
    /// Whether the server has said that an upload left a gap, or parted, where by its own heads it can't have.
    var wasContradicted = false
    var doubt = Doubt.none

    /// - Parameter head: What the welcome said that the server has; nil where it named no such replica.
    init(_ head: Head? = nil) {
        target = head?.seq ?? 0
        server = ServerHead(seq: target, chain: head?.chain)
    }

    /// Whether there is nothing left to do about the replica for now, where the device has it through `seq`: it is the
    /// same on both sides, as far as is known, or was stopped.
    func isSettled(_ seq: UInt64) -> Bool {
        switch work {
        case .stopped: true
        case .comparing, .moving: false
        case .none: max(server.seq, seq) <= agreed
        }
    }

    /// Whether the device has what the welcome named, or the replica was stopped.
    var hasCaughtUp: Bool {
        if case .stopped = work { return true }
        return work == .none && agreed >= target
    }

    /// The server's head is at least here.
    mutating func serverHas(_ seq: UInt64) {
        if seq > server.seq { server = ServerHead(seq: seq, chain: nil) }
    }

    /// An upload was answered.
    mutating func handle(_ ack: Ack) {
        uploaded.unanswered -= 1
        if ack.head.seq >= server.seq || ack.stop?.code == .gap {
            server = ServerHead(seq: ack.head.seq, chain: ack.head.chain)
        }
        if uploaded.refusal == nil { uploaded.refusal = ack.stop }
    }

    /// It was left alone long enough: it is as if nothing had been tried.
    mutating func beginAnew() {
        work = .none
        uploaded.through = 0
        wasContradicted = false
        doubt = .none
        isWanted = false
    }
}
