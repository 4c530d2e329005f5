import FocusCore
import FocusServing
import FocusSync
import FocusWriter

/// A connection of the server as it is seen from outside: the bytes received and sent, and their times.
final class SeenConnection {
    let line: any ClientConnection
    let key: Digest
    let block: AddressBlock
    /// The time of its arrival, in microseconds. If the server froze before the connection's hello, the end
    /// of the freeze.
    var came: Int64
    /// Its number in the order of arrival. Once it is let in, its number in the order of admission.
    var rank: Int
    /// Whether either side has ended it.
    var isOver = false
    /// Whether the server aborted it. It may be gone at its other end, too.
    var isCut = false
    /// Whether the server ended it for its memory while it took too little. The final message isn't counted.
    var isEndedStuck = false

    /// Whether its device was let in, and the group that welcomed it; nil if none has.
    var isLetIn = false
    var group: GroupID?

    var received = SeenStream()
    var sent = SeenStream()
    var receivedBytes = 0
    var lastHeard: Int64
    var hello: Hello?
    var hasAskedIn = false
    /// The time of its `have`, until the server notes that its key has proved itself; otherwise nil.
    var takenSince: Int64?
    /// Whether it has ever proposed a successor of an epoch.
    var hasNamedSuccessors = false
    /// The time at which it announced a frame that is too long.
    var tooLongSince: Int64?

    /// The received messages that the server hasn't looked at yet, of the types for which that is visible.
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

    /// Whether its device is certainly a member of a group.
    var isKnown: Bool { isLetIn || group != nil }

    /// A lower bound of the memory held for it, in bytes: unsent bytes and an incomplete frame.
    var leastHeld: Int { line.unsentBytes + received.partialBytes }

    /// An upper bound of the memory held for it, in bytes: unsent bytes, all received bytes twice (as
    /// received and as kept), and the entries of replicas and epochs.
    var mostHeld: Int { line.unsentBytes + 2 * receivedBytes + 64 << 10 }
}

/// The server's pending work for a connection, and the client's reaction to refusals.
struct SeenPace {
    /// The numbers of its unanswered requests: uploads and other requests at the writer, and requests at the
    /// reader.
    var uploads = 0
    var others = 0
    var readings = 0
    /// The times of the last 16 pongs, in microseconds.
    var pongs: [Int64] = []
    var refusedUploads = SeenRefusals()
    var refusedOthers = SeenRefusals()
    /// The time at which the server stopped reading from the connection, and the last time at which the
    /// server had a reason for that; nil while it reads.
    var pausedSince: Int64?
    var lastReason: Int64?

    mutating func notePong(at now: Int64) { pongs = (pongs + [now]).suffix(Limits.pings) }

    /// Whether docs/protocol.md gives the server a reason not to read from the connection now.
    func hasReason(_ unsent: Int, at now: Int64) -> Bool {
        // If there were too many unsent bytes, the server reads again only when most of them are sent.
        if unsent > 0 || uploads + others + readings > 0 { return true }
        // The server checks once a second whether a pause is over.
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

/// Counts a client's requests that were refused for their rate and came before the time named in an earlier
/// refusal.
struct SeenRefusals {
    private var named = Int64.min
    private var hasty = 0
    /// The time until which the server reads nothing from a hasty client, in microseconds.
    private(set) var restsUntil: Int64 = 0

    /// Whether the client has made enough requests too early in a row that the server throttles it.
    var isHasty: Bool { hasty >= Limits.hastyRequests }

    /// Notes a refusal that names `after` as the time to wait.
    mutating func note(_ after: Duration, lastHeard: Int64) {
        hasty = lastHeard < named ? hasty + 1 : 0
        named = max(named, lastHeard + after.inMicroseconds)
        if isHasty { restsUntil = min(named, lastHeard + Limits.rest.inMicroseconds) }
    }
}
