import FocusCore

/// What a session of the server's has of its client's, and owes it: what was asked of the writer and the reader, and what
/// is yet to be sent. None of it is of use once the session is over.
struct ServerExchange {
    /// The events that the client lacks.
    var events = OutgoingEvents()
    /// The epochs whose records it lacks.
    var epochs = OutgoingEpochs()
    /// What is to be told of devices.
    var news = DeviceNews()
    /// The uploads that the writer has.
    var uploads = UploadsAtWriter()
    /// How many questions about chains the reader has.
    var chainsAsked = 0
    /// The requests about devices, invites and epochs.
    var requests = PendingRequests()

    /// About what an entry of a table takes, in bytes.
    private static let entryBytes = 32

    /// How much memory it takes, in bytes.
    var heldBytes: Int {
        uploads.bytes + requests.heldBytes
            + (events.count + epochs.count + news.count + uploads.disownedCount) * ServerExchange.entryBytes
    }

    /// Whether more may be taken from a client that takes refusals like this.
    func takesMore(at paces: ClientPaces) -> Bool {
        uploads.bytes <= Limits.merging && uploads.count < paces.uploads.atOnce(of: Limits.uploads)
            && chainsAsked < Limits.questions
            && requests.hasRoom(for: paces.requests.atOnce(of: Limits.questions))
            && events.wanted.count < Limits.questions
    }
}

/// The uploads of one client that the writer has, in their order.
struct UploadsAtWriter {
    private var segments = SegmentQueue()
    /// How many of a replica's came before the client wanted that replica anew: what is in them it may not have any more.
    private var disowned: [ReplicaID: Int] = [:]

    /// How many there are, and how many bytes they have.
    var count: Int { segments.count }
    var bytes: Int { segments.bytes }
    /// Of how many replicas the client wanted anew what it had uploaded.
    var disownedCount: Int { disowned.count }

    /// The writer has this one besides.
    mutating func append(_ segment: Segment) { segments.append(segment) }

    /// The client wants this replica anew.
    mutating func disown(_ replica: ReplicaID) {
        let count = segments.count(of: replica)
        if count > 0 { disowned[replica] = count }
    }

    /// The writer has answered the replica's next upload: it, and whether the client has what is in it; nil where there is
    /// none.
    mutating func answered(_ replica: ReplicaID) -> (upload: SegmentQueue.Entry, isOwned: Bool)? {
        guard let upload = segments.next(replica) else { return nil }
        guard let left = disowned[replica] else { return (upload, true) }
        disowned[replica] = left > 1 ? left - 1 : nil
        return (upload, false)
    }
}

/// How a client takes refusals, and how often it pings.
struct ClientPaces {
    var uploads = RefusalPace()
    var requests = RefusalPace()
    var pings = PingPace()

    /// Until when nothing is read from the connection, since its client doesn't wait as it was told; nil where it is.
    var restsUntil: SteadyInstant? {
        later(later(uploads.restsUntil, requests.restsUntil), pings.restsUntil)
    }

    private func later(_ one: SteadyInstant?, _ other: SteadyInstant?) -> SteadyInstant? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    /// It is so late now.
    mutating func advance(to now: SteadyInstant) {
        uploads.advance(to: now)
        requests.advance(to: now)
        pings.advance(to: now)
    }
}
