import FocusCore
import FocusServing
import FocusSync
import FocusWriter

/// One connection of the server's, as it looks from outside: what came on it, what the server said, and when.
final class SeenConnection {
    let line: any ClientConnection
    let key: Digest
    let block: AddressBlock
    /// When; or since when it can be asked for its hello, where the server stood still meanwhile.
    var came: Int64
    /// Its place among all connections by when they were counted as a device's, if they ever are.
    var rank: Int
    /// Whether the server has ended it, or the other side has.
    var isOver = false
    /// Whether it was cut off at once: it may be over at its other end, too.
    var isCut = false
    /// Whether it was ended for what is held for it while it took too little, its goodbye not counted.
    var isEndedStuck = false

    /// What it was let in to, and welcomed to.
    var isLetIn = false
    var group: GroupID?

    var received = SeenStream()
    var sent = SeenStream()
    var receivedBytes = 0
    var lastHeard: Int64
    var hello: Hello?
    var hasAskedIn = false
    /// Since when it has said what it has, and isn't known to belong where it was welcomed.
    var takenSince: Int64?
    /// Whether it ever asked for another epoch to follow.
    var hasNamedSuccessors = false
    /// Since when there is a frame that is too long.
    var tooLongSince: Int64?

    /// What came and wasn't looked at, of those messages of which that is seen.
    var waiting: [SeenMessage] = []
    var pace = SeenPace()

    init(_ line: any ClientConnection, _ key: Digest, rank: Int, at now: Int64) {
        self.line = line
        self.key = key
        self.rank = rank
        block = line.peerBlock
        (came, lastHeard) = (now, now)
    }

    var id: ConnectionID { line.id }

    /// Whether it certainly is a member's.
    var isKnown: Bool { isLetIn || group != nil }

    /// What is certainly held for it: what it doesn't take, and a frame that isn't whole.
    var leastHeld: Int { line.unsentBytes + received.partialBytes }

    /// More than can be held for it: all that ever came on it, as it came and as it is kept, what it doesn't take, and what
    /// is kept of each replica and epoch.
    var mostHeld: Int { line.unsentBytes + 2 * receivedBytes + 64 << 10 }
}

/// What the server owes a connection, and how it has taken refusals.
struct SeenPace {
    /// What the writer and the reader have of it.
    var uploads = 0
    var others = 0
    var readings = 0
    /// When its last pings were answered, 16 at most.
    var pongs: [Int64] = []
    var refusedUploads = SeenRefusals()
    var refusedOthers = SeenRefusals()
    /// Since when it isn't read from, and when there last was a reason for that.
    var pausedSince: Int64?
    var lastReason: Int64?

    mutating func notePong(at now: Int64) { pongs = (pongs + [now]).suffix(Limits.pings) }

    /// Whether docs/protocol.md has a reason for not reading from it now.
    func hasReason(_ unsent: Int, at now: Int64) -> Bool {
        // Where there was too much, all but a little has to go out first.
        if unsent > 0 || uploads + others + readings > 0 { return true }
        // Whether time is over is looked at each second.
        let late: Int64 = .seconds(1) + 200_000
        if pongs.count == Limits.pings, let first = pongs.first, let last = pongs.last,
            last - first <= Limits.pingWindow.inMicroseconds,
            now - first <= Limits.pingWindow.inMicroseconds + late
        {
            return true
        }
        return now <= max(refusedUploads.restsUntil, refusedOthers.restsUntil) + late
    }
}

/// How often something was refused as too much at once, though the time that was named before hadn't come.
struct SeenRefusals {
    private var named = Int64.min
    private var hasty = 0
    /// Until when nothing is read then.
    private(set) var restsUntil: Int64 = 0

    /// Whether that was often enough for the server to listen less.
    var isHasty: Bool { hasty >= Limits.hastyRequests }

    /// Another one was refused, for so long.
    mutating func note(_ after: Duration, lastHeard: Int64) {
        hasty = lastHeard < named ? hasty + 1 : 0
        named = max(named, lastHeard + after.inMicroseconds)
        if isHasty { restsUntil = min(named, lastHeard + Limits.rest.inMicroseconds) }
    }
}
