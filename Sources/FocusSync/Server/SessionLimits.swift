import FocusCore

/// How long things may take on a connection, and how much may come at once. As it is made, what docs/protocol.md says; a
/// server's operator may set it.
package struct SessionLimits: Hashable, Sendable {
    /// How long a device may take to say hello, and an unknown one to enrol.
    package var opening = Limits.opening
    /// After so long without a word the connection is taken for dead.
    package var silence = Limits.clientSilence
    /// The longest frame of a device that is known (type and body), in bytes.
    package var frame = Limits.frame
    /// The longest frame before the device is known, in bytes.
    package var frameBeforeKnown = Limits.frameBeforeKnown

    /// How many pings are answered in `Limits.pingWindow`; no setting.
    package var pings = Limits.pings

    /// What docs/protocol.md says of each limit.
    package init() {}
}

/// How often a client pings. It needs to do so every twenty seconds; one that does much more often isn't read from for a
/// while, since each answer costs the network's thread, and so everybody, some microseconds.
struct PingPace {
    /// When the window began in which pings are counted.
    private var began: SteadyInstant?
    private var count = 0
    /// Until when nothing is read from the connection; nil where it is.
    private(set) var restsUntil: SteadyInstant?

    /// A ping was answered.
    ///
    /// - Parameters:
    ///   - now: when it came.
    ///   - limit: how many are answered in `Limits.pingWindow`.
    mutating func answered(at now: SteadyInstant, limit: Int) {
        var began = began ?? now
        if now - began >= Limits.pingWindow {
            began = now
            count = 0
        }
        self.began = began
        count += 1
        if count >= limit { restsUntil = began + Limits.pingWindow }
    }

    /// It is so late now. What came while the connection rested is counted from now on.
    mutating func advance(to now: SteadyInstant) {
        guard let restsUntil, now >= restsUntil else { return }
        self = PingPace()
        began = now
    }
}

/// How a client takes being told that it asks for too much at once. One that goes on before the time that was named makes
/// work for nothing, and is listened to less: after a while it isn't read from for as long as it should have waited, and
/// has one request at the writer at a time, until it has waited, or, of uploads, something is taken again.
struct RefusalPace {
    /// The latest time that was named.
    private var named = SteadyInstant.distantPast
    /// How many requests came before that time, and were refused again.
    private var hasty = 0
    /// Until when nothing is read from the connection; nil where it is.
    private(set) var restsUntil: SteadyInstant?

    /// How many requests may be at the writer, of this many otherwise.
    func atOnce(of count: Int) -> Int { hasty < Limits.hastyRequests ? count : 1 }

    /// A request was refused as too much at once.
    ///
    /// - Parameters:
    ///   - after: in how long to ask again.
    ///   - heard: when the last bytes came from the client.
    mutating func refused(after: Duration, heard: SteadyInstant) {
        hasty = heard < named ? hasty + 1 : 0
        named = max(named, heard + after)
        if hasty >= Limits.hastyRequests { restsUntil = min(named, heard + Limits.rest) }
    }

    /// It is so late now.
    mutating func advance(to now: SteadyInstant) {
        if let restsUntil, now >= restsUntil { self.restsUntil = nil }
    }
}

/// What a connection's client has asked the writer for, and what waits for it within the session.
struct PendingRequests {
    /// How many bytes each of the requests at the writer has, in order.
    private var asked = Fifo<Int>()
    /// How many bytes that is.
    private var bytes = 0
    /// What is left of a roster: the writer is given it piece by piece.
    private var roster: ArraySlice<RosterEntry> = []

    /// Whether the client may ask for more, where so many requests may be at the writer.
    func hasRoom(for count: Int) -> Bool {
        roster.isEmpty && asked.count < count && bytes <= Limits.merging
    }

    /// How much memory it takes, in bytes.
    var heldBytes: Int { bytes + roster.count * MemoryLayout<RosterEntry>.stride }

    /// The writer has this request besides.
    mutating func append(_ request: GroupRequest) {
        asked.append(request.heldBytes)
        bytes += request.heldBytes
    }

    /// The writer is done with the first request; false where it has none.
    mutating func handled() -> Bool {
        guard let first = asked.popFirst() else { return false }
        bytes -= first
        return true
    }

    /// The client gave a roster. There was room.
    mutating func append(_ roster: [RosterEntry]) { self.roster = roster[...] }

    /// The next piece of the roster, which counts as at the writer from now on; nil where there is none, or no room.
    mutating func nextPiece() -> GroupRequest? {
        guard !roster.isEmpty, asked.count < Limits.questions else { return nil }
        let piece = GroupRequest.roster(Array(roster.prefix(Limits.rosterPiece)))
        roster = roster.dropFirst(Limits.rosterPiece)
        // What remains is a part of the whole, which goes once the last piece does.
        if roster.isEmpty { roster = [] }
        append(piece)
        return piece
    }
}
