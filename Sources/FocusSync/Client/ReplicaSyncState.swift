import FocusCore

/// The sync state of one replica between this device and its server.
struct ReplicaSyncState: Hashable {
    /// The work under way for the replica.
    enum Work: Hashable {
        /// None, except to receive or send the events that one side lacks.
        case none
        /// The search for the first event that differs. Next: `none`, `moving` or `stopped`.
        case comparing(Bisection)
        /// The driver is moving the tail to its branch. Next: `none`.
        case moving
        /// Nothing is uploaded or merged. Next: `none`.
        case stopped(Stop)
    }

    /// A stop of one replica's sync.
    struct Stop: Hashable {
        /// The instant at which the stop ends; nil if it lasts as long as the connection.
        let until: SteadyInstant?
        /// Whether the reason is that the server lacks an epoch's record.
        let lacksEpoch: Bool
    }

    /// The server's head of the replica, as far as is known.
    struct ServerHead: Hashable {
        var seq: UInt64 = 0
        /// The chain at `seq`; nil if the server hasn't named it.
        var chain: Chain?
    }

    /// The uploads of the replica.
    struct Uploaded: Hashable {
        /// The last seq that was uploaded, whether answered or not; 0 if none was, or
        /// after a refusal was resolved.
        var through: UInt64 = 0
        /// The number of uploads not answered yet.
        var unanswered = 0
        /// The first refusal of an upload. It is resolved when all uploads are answered.
        var refusal: Ack.Stop?
    }

    /// The steps taken after a push that parts from the log, although by `commonSeq` both sides have the same
    /// events there.
    enum Recheck: Hashable {
        case none
        /// The push was requested again, because the log may have changed meanwhile.
        case asked
        /// Everything was compared again, from the first event on.
        case compared
    }

    /// The server's last seq of the replica in the welcome; 0 if the welcome didn't name the replica.
    let target: UInt64
    private(set) var server: ServerHead
    /// The last seq through which both sides are known to have the same events.
    var commonSeq: UInt64 = 0
    var uploaded = Uploaded()
    var work = Work.none
    /// Whether the server was asked to send the replica's events again (`want`) and hasn't done so yet.
    var isWanted = false
    /// Whether the server has refused an upload as a gap or as parted, although its own heads contradict
    /// that.
    var serverDisagreed = false
    var recheck = Recheck.none

    /// - Parameter head: The server's head in the welcome; nil if the welcome didn't name the replica.
    init(_ head: Head? = nil) {
        target = head?.seq ?? 0
        server = ServerHead(seq: target, chain: head?.chain)
    }

    /// The stop; nil if the replica isn't stopped.
    var stop: Stop? {
        if case .stopped(let stop) = work { stop } else { nil }
    }

    /// Whether there is nothing left to do for the replica for now: it is equal on both sides, as far as is
    /// known, or stopped.
    ///
    /// - Parameter seq: The device's last seq of the replica.
    func isInSync(_ seq: UInt64) -> Bool {
        switch work {
        case .stopped: true
        case .comparing, .moving: false
        case .none: max(server.seq, seq) <= commonSeq
        }
    }

    /// Whether the device has the replica through the welcome's head, or the replica was stopped.
    var reachedWelcome: Bool { stop != nil || work == .none && commonSeq >= target }

    /// Raises the server's head to `seq`, if it isn't there yet.
    mutating func raiseServerHead(_ seq: UInt64) {
        if seq > server.seq { server = ServerHead(seq: seq, chain: nil) }
    }

    /// Applies the answer to an upload.
    mutating func handle(_ ack: Ack) {
        uploaded.unanswered -= 1
        // Only after a gap does an ack lower the server's head: the server lacks events that it was thought
        // to have.
        if ack.head.seq >= server.seq || ack.stop?.code == .gap {
            server = ServerHead(seq: ack.head.seq, chain: ack.head.chain)
        }
        if uploaded.refusal == nil { uploaded.refusal = ack.stop }
    }

    /// Ends a stop: resets the work, as if nothing had been tried. `commonSeq` and the server's head stay.
    mutating func beginAnew() {
        work = .none
        uploaded.through = 0
        serverDisagreed = false
        recheck = .none
        isWanted = false
    }
}
