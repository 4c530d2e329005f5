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
    mutating func take(_ roster: [RosterEntry]) { self.roster = roster[...] }

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
