import FocusCore

/// The unfinished work of a server's session for its client: requests at the writer and the reader, and data
/// still to be sent. It is dropped when the session is over.
struct ServerExchange {
    /// The events that the client lacks.
    var events = OutgoingEvents()
    /// The epochs of which the client lacks the record.
    var epochs = OutgoingEpochs()
    /// The changes of devices that the client hasn't been told of.
    var news = PendingDeviceChanges()
    /// The client's uploads at the writer.
    var uploads = PendingUploads()
    /// The number of questions about chains at the reader.
    var chainsAsked = 0
    /// The client's requests about devices, invites and epochs.
    var requests = PendingRequests()

    /// The approximate memory of one table entry, in bytes.
    private static let entryBytes = 32

    /// The memory that this work takes, in bytes.
    var heldBytes: Int {
        uploads.bytes + requests.heldBytes
            + (events.count + epochs.count + news.count + uploads.wantCount) * ServerExchange.entryBytes
    }

    /// Whether more messages may be read from the client.
    ///
    /// - Parameter limiters: The client's rate limiters. They can lower the number of requests that the
    ///   client may have at the writer.
    func canReadMore(with limiters: ClientRateLimiters) -> Bool {
        uploads.bytes <= Limits.merging
            && uploads.count < limiters.uploads.requestLimit(usually: Limits.uploads)
            && chainsAsked < Limits.questions
            && requests.hasRoom(for: limiters.requests.requestLimit(usually: Limits.questions))
            && events.wanted.count < Limits.questions
    }
}

/// The uploads of one client at the writer, in order.
struct PendingUploads {
    private var segments = SegmentQueue()
    /// For each replica, the number of uploads that the client sent before its latest `want` for the replica.
    /// They are the first in the queue. A client that sends `want` may have lost their events.
    private var sentBeforeWant: [ReplicaID: Int] = [:]

    /// The number of uploads.
    var count: Int { segments.count }
    /// The number of packed bytes in the uploads.
    var bytes: Int { segments.bytes }
    /// The number of replicas with uploads from before a `want`.
    var wantCount: Int { sentBeforeWant.count }

    /// Adds an upload that was given to the writer.
    mutating func append(_ segment: Segment) { segments.append(segment) }

    /// Records a `want` for this replica: the client may have lost the events that it has uploaded.
    mutating func recordWant(_ replica: ReplicaID) {
        let count = segments.count(of: replica)
        if count > 0 { sentBeforeWant[replica] = count }
    }

    /// Removes the replica's first upload, which the writer has answered.
    ///
    /// - Returns: The upload, and whether the client still has the events in it. Nil if there is no upload.
    mutating func answered(_ replica: ReplicaID) -> (upload: SegmentQueue.Entry, isHeldByClient: Bool)? {
        guard let upload = segments.removeFirst(of: replica) else { return nil }
        guard let left = sentBeforeWant[replica] else { return (upload, true) }
        sentBeforeWant[replica] = left > 1 ? left - 1 : nil
        return (upload, false)
    }
}

/// The rate limiters of one client's connection.
struct ClientRateLimiters {
    var uploads = RefusalLimiter()
    var requests = RefusalLimiter()
    var pings = PingLimiter()

    /// The instant until which nothing is read from the connection, because its client sends too soon or too
    /// often; nil if it may be read from.
    var pausedUntil: SteadyInstant? {
        later(later(uploads.pausedUntil, requests.pausedUntil), pings.pausedUntil)
    }

    private func later(_ one: SteadyInstant?, _ other: SteadyInstant?) -> SteadyInstant? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    /// Updates the limiters to the instant `now`.
    mutating func advance(to now: SteadyInstant) {
        uploads.advance(to: now)
        requests.advance(to: now)
        pings.advance(to: now)
    }
}
