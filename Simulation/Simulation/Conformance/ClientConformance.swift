import FocusCore
import FocusSync

/// Checks one client's end of one connection against docs/protocol.md. It is a second implementation of the
/// client's rules: it knows only the messages sent and received, and assumes that the server is honest.
struct ClientConformance {
    private enum State {
        /// The client hasn't sent its hello.
        case silent
        /// The hello was sent, and the greeting hasn't arrived.
        case awaitingGreeting
        /// The greeting has arrived. A client may send one `enrol` now, but a client that the server knows
        /// needn't.
        case greeted(mayEnrol: Bool)
        /// The welcome has arrived, and the client hasn't sent its `have`.
        case welcomed
        /// The `have` was sent: the client may upload.
        case live
        /// The client has sent its last message.
        case over
    }

    private var state = State.silent
    /// Whether the server has told its time.
    private var hasTime = false
    private var lastPing: Int64?
    /// The devices that the welcome listed or the client has sent, each with whether it was revoked there. The
    /// client sends a device again only if it was revoked since. It needn't heed later announcements.
    private var listedDevices: [Digest: Bool] = [:]
    /// The epochs that the welcome named, or with a record that the client has sent. The client doesn't send
    /// such a record again.
    private var epochs: Set<EpochID> = []
    /// The last seq of each replica that the server has or that the client has sent. The next upload begins
    /// after it.
    private var serverSeqs: [ReplicaID: UInt64] = [:]
    /// The last seq of each replica that the server has reported or pushed. An ack after a push may name a lower
    /// seq, because the server's reader may be ahead of its writer.
    private var reportedSeqs: [ReplicaID: UInt64] = [:]
    /// The last seqs of replicas in the welcome that the client lacks. Each is removed when its events
    /// arrive.
    private var missingSeqs: [ReplicaID: UInt64] = [:]
    private var welcomeSeqs: [ReplicaID: UInt64] = [:]
    /// The epochs that the welcome named, and the epochs among them with a record that hasn't arrived.
    private var welcomeEpochs: Set<EpochID> = []
    private var missingEpochs: Set<EpochID> = []
    /// The unanswered uploads, in order.
    private var unansweredUploads: [(replica: ReplicaID, bytes: Int)] = []
    /// The first refusal of each replica, until all of the replica's uploads are answered.
    private var stops: [ReplicaID: Ack.Stop] = [:]
    /// The earliest time of the next upload of a replica, in microseconds on the world's clock.
    private var earliestUploads: [ReplicaID: Int64] = [:]
    /// The replicas with an unanswered request for chains.
    private var chainRequests: Set<ReplicaID> = []
    /// The number of the last request about the group; 0 before the first.
    private var lastRequest: UInt64 = 0
    /// The unanswered requests about the group.
    private var requests: [RequestNumber: GroupRequest] = [:]

    // MARK: - Messages sent

    /// Records a message that the client sends now.
    ///
    /// - Parameter log: Returns the last seq of a replica in the client's log. The events may have arrived on
    ///   any connection.
    /// - Returns: The breach of the protocol, or nil if there is none.
    mutating func checkSent(
        _ message: Message, at now: Int64, log: (ReplicaID) throws -> UInt64
    ) rethrows -> String? {
        switch (state, message) {
        case (.over, _): return "\(message.type) after the end"
        case (.silent, .hello): state = .awaitingGreeting
        case (.silent, _): return "\(message.type) before the hello"
        case (_, .error), (_, .bye): state = .over
        case (_, .ping): return checkPing(at: now)
        case (.awaitingGreeting, _): return "\(message.type) before the greeting"
        case (.greeted(mayEnrol: true), .enrol): state = .greeted(mayEnrol: false)
        case (.greeted, _): return "\(message.type) before the welcome"
        case (.welcomed, .have(let have)): return checkHave(have)
        case (.welcomed, _): return "\(message.type) before the have"
        case (.live, _): return try checkLive(message, at: now, log)
        }
        return nil
    }

    private mutating func checkPing(at now: Int64) -> String? {
        defer { lastPing = now }
        // Clocks drift, so a little less than the interval is allowed.
        guard let lastPing, now - lastPing < (Limits.ping * 9 / 10).inMicroseconds else { return nil }
        return "a ping \(now - lastPing) µs after another"
    }

    private mutating func checkHave(_ have: Have) -> String? {
        state = .live
        missingSeqs = welcomeSeqs.filter { have.vector[$0.key].seq < $0.value }
        missingEpochs = welcomeEpochs.subtracting(have.epochs)
        return nil
    }

    private mutating func checkLive(
        _ message: Message, at now: Int64, _ log: (ReplicaID) throws -> UInt64
    ) rethrows -> String? {
        switch message {
        case .upload(let segment):
            missingSeqs = try missingSeqs.filter { try log($0.key) < $0.value }
            return checkUpload(segment, at: now)
        case .want(let replica, let after):
            serverSeqs[replica] = min(serverSeqs[replica, default: 0], after)
            missingSeqs[replica] = nil
        case .chainsAsked(let replica, let seqs):
            missingSeqs[replica] = nil
            guard chainRequests.insert(replica).inserted else {
                return "chains of \(replica) asked for twice at once"
            }
            guard !seqs.isEmpty else { return "no chains of \(replica) asked for" }
        case .request(let number, let request):
            lastRequest += 1
            guard number.rawValue == lastRequest else {
                return "request \(number.rawValue), not \(lastRequest)"
            }
            requests[number] = request
            return checkRequest(request)
        default: return "\(message.type), which a client doesn't send"
        }
        return nil
    }

    private mutating func checkRequest(_ request: GroupRequest) -> String? {
        switch request {
        case .roster(let roster):
            if roster.count > Limits.rosterPiece { return "a roster of \(roster.count) entries" }
            for entry in roster {
                if let isRevoked = listedDevices[entry.device], isRevoked || !entry.isRevoked {
                    return "the server knows of \(entry.device)"
                }
                listedDevices[entry.device] = entry.isRevoked
            }
        case .epoch(let record):
            guard record.body.isEmpty || epochs.insert(record.epoch).inserted else {
                return "the server has the record of \(record.epoch)"
            }
        case .createInvite, .revoke, .successor: break
        }
        return nil
    }

    private mutating func checkUpload(_ segment: Segment, at now: Int64) -> String? {
        let replica = segment.replica
        let bytes = unansweredUploads.reduce(0) { $0 + $1.bytes }
        defer {
            unansweredUploads.append((replica, segment.packed.count))
            serverSeqs[replica] = segment.lastSeq
        }
        if !hasTime { return "an upload without having been told the time" }
        if let (replica, seq) = missingSeqs.first { return "an upload before \(replica) came through \(seq)" }
        if let epoch = missingEpochs.first { return "an upload before the record of \(epoch) came" }
        if bytes >= Limits.uploadWindow { return "an upload with \(bytes) bytes unanswered" }
        if segment.packed.count > Limits.read, segment.count > 1 {
            return "an upload of \(segment.packed.count) bytes"
        }
        if let end = earliestUploads[replica], now < end {
            return "an upload of \(replica) \(end - now) µs too early"
        }
        let expected = serverSeqs[replica, default: 0] + 1
        guard segment.firstSeq == expected else {
            return "an upload of \(replica) from \(segment.firstSeq) on, not \(expected)"
        }
        return nil
    }

    // MARK: - Messages received

    /// Records a message that the client has received.
    mutating func recordReceived(_ message: Message, at now: Int64) {
        switch message {
        case .greeting(let greeting):
            if greeting.clock.served != nil { hasTime = true }
            state = .greeted(mayEnrol: true)
        case .pong(let answer): if answer.served != nil { hasTime = true }
        case .welcome(let welcome): recordWelcome(welcome)
        case .push(let segment):
            let replica = segment.replica
            serverSeqs[replica] = max(serverSeqs[replica, default: 0], segment.lastSeq)
            reportedSeqs[replica] = max(reportedSeqs[replica, default: 0], segment.lastSeq)
            if missingSeqs[replica].map({ $0 <= segment.lastSeq }) ?? false { missingSeqs[replica] = nil }
        case .ack(let ack): recordAck(ack, at: now)
        case .chains(let replica, _): chainRequests.remove(replica)
        case .epoch(let record): missingEpochs.remove(record.epoch)
        case .done(let number): requests[number] = nil
        case .refused(let number, _):
            if let request = requests.removeValue(forKey: number) { recordRefusal(request) }
        default: break
        }
    }

    /// Records that the server refused a request. The client may give it the same devices or record again.
    private mutating func recordRefusal(_ request: GroupRequest) {
        switch request {
        case .roster(let roster): for entry in roster { listedDevices[entry.device] = nil }
        case .epoch(let record): epochs.remove(record.epoch)
        case .createInvite, .revoke, .successor: break
        }
    }

    private mutating func recordWelcome(_ welcome: Welcome) {
        state = .welcomed
        welcomeSeqs = welcome.vector.heads.mapValues(\.seq)
        (serverSeqs, reportedSeqs) = (welcomeSeqs, welcomeSeqs)
        epochs = Set(welcome.epochs)
        welcomeEpochs = epochs
        for entry in welcome.roster { listedDevices[entry.device] = entry.isRevoked }
    }

    private mutating func recordAck(_ ack: Ack, at now: Int64) {
        guard let index = unansweredUploads.firstIndex(where: { $0.replica == ack.replica }) else { return }
        unansweredUploads.remove(at: index)
        let replica = ack.replica
        reportedSeqs[replica] =
            ack.stop?.code == .gap ? ack.head.seq : max(reportedSeqs[replica, default: 0], ack.head.seq)
        if let stop = ack.stop {
            serverSeqs[replica] = reportedSeqs[replica]
            stops[replica] = stops[replica] ?? stop
        } else {
            // The client's own events may have reached the server on another connection.
            serverSeqs[replica] = max(serverSeqs[replica, default: 0], ack.head.seq)
        }
        guard !unansweredUploads.contains(where: { $0.replica == replica }),
            let stop = stops.removeValue(forKey: replica)
        else { return }
        switch stop.code {
        case .parted, .gap, .clockAhead, .unknownEpoch: break
        case .malformed: earliestUploads[replica] = .max
        // Clocks drift, so a tenth less than the named time is enough.
        default: earliestUploads[replica] = now + (stop.after ?? .seconds(60)).inMilliseconds * 900
        }
    }
}
