import FocusCore

/// The requests of a client that the server hasn't answered.
struct UnansweredRequests {
    private var requests: [RequestNumber: GroupRequest] = [:]
    /// The number of the last request; 0 before the first.
    private var last: UInt64 = 0

    /// Adds a request, and returns the message that sends it.
    mutating func add(_ request: GroupRequest) -> Message {
        last += 1
        requests[RequestNumber(last)] = request
        return .request(RequestNumber(last), request)
    }

    /// Removes the request that the server answers; nil if no such request is unanswered.
    mutating func remove(_ number: RequestNumber) -> GroupRequest? { requests.removeValue(forKey: number) }
}

/// The devices, revocations and records of epochs that the server lacked at the welcome, for
/// example after it was restored. The session sends them piece by piece as there is room, and sends
/// again what the server put off.
struct MissingRecords {
    /// The requests that weren't sent yet.
    private var waiting: Fifo<GroupRequest>
    /// The requests that were put off.
    private var later: [GroupRequest] = []
    /// The epochs with a record among the requests so far.
    private var epochs: Set<EpochID>
    /// Requests that the server can only answer when it has the records before them.
    private var following = Fifo<GroupRequest>()
    /// The instant at which to continue; nil if nothing is put off.
    private(set) var due: SteadyInstant?

    /// The shortest time before something is sent again, even if the server names a shorter one.
    static let leastWait = Duration.seconds(1)

    /// Collects the devices, revocations and records of the log that the welcome doesn't name.
    init(of log: LocalLog, lackedBy welcome: Welcome) {
        var revoked: [Digest: Bool] = [:]
        for entry in welcome.roster {
            revoked[entry.device] = entry.isRevoked || revoked[entry.device] == true
        }
        var roster = log.roster.filter { entry in
            guard let isRevoked = revoked[entry.device] else { return true }
            return entry.isRevoked && !isRevoked
        }[...]
        waiting = Fifo()
        while !roster.isEmpty {
            waiting.append(.roster(Array(roster.prefix(Limits.rosterPiece))))
            roster = roster.dropFirst(Limits.rosterPiece)
        }
        epochs = []
        let known = Set(welcome.epochs)
        _ = add(log.epochs.filter { !known.contains($0.epoch) })
    }

    /// Adds the records that aren't included yet, because the server turned out to lack one.
    ///
    /// - Returns: Whether any were added.
    mutating func add(_ records: [EpochRecord]) -> Bool {
        let before = epochs.count
        for record in records where epochs.insert(record.epoch).inserted { waiting.append(.epoch(record)) }
        return epochs.count > before
    }

    /// Whether records are left to be sent now. False while anything is put off.
    var hasMoreToSend: Bool { due == nil && !waiting.isEmpty }

    /// Returns the next request and counts it as sent, or nil if there is none for now.
    mutating func next() -> GroupRequest? { hasMoreToSend ? waiting.popFirst() : following.popFirst() }

    /// Adds a request, to be sent after all records that can be sent now. It doesn't wait for requests that
    /// were put off.
    mutating func append(_ request: GroupRequest) { following.append(request) }

    /// Puts off a request, and stops sending until `instant`. If there are several instants, the last one
    /// counts: by then the server has room for everything that was put off.
    mutating func putOff(_ request: GroupRequest, until instant: SteadyInstant) {
        later.append(request)
        due = max(due ?? instant, instant)
    }

    /// Continues after `due`, first with what was put off, then with what wasn't sent yet.
    mutating func resume() {
        due = nil
        var requests = Fifo<GroupRequest>()
        for request in exchange(&later, with: []) { requests.append(request) }
        while let request = waiting.popFirst() { requests.append(request) }
        waiting = requests
    }
}

// Devices, epochs and requests.
extension ClientExchange {
    /// Sends the server more of what it lacks, as far as there is room.
    mutating func sendMissing(_ line: inout ClientChannel) {
        while line.unsent <= Limits.unsent, let request = missing.next() { send(request, &line) }
    }

    /// Sends the server a request about the group.
    mutating func ask(_ request: GroupRequest, _ line: inout ClientChannel) {
        if case .successor = request, missing.hasMoreToSend {
            // The server may lack the predecessor, which is still to be sent.
            missing.append(request)
        } else {
            send(request, &line)
        }
    }

    private mutating func send(_ request: GroupRequest, _ line: inout ClientChannel) {
        line.send(requests.add(request))
    }

    /// Handles the answer to a request. Devices and records that the server only puts off are sent again
    /// later. Of everything else the driver is told.
    ///
    /// - Parameter message: The answer.
    /// - Throws: `ServerProtocolError` if there is no such request.
    mutating func answered(
        _ number: RequestNumber, _ refusal: Refusal?, _ message: Message, _ line: inout ClientChannel
    ) throws(ServerProtocolError) {
        guard let request = requests.remove(number) else { throw .malformed(.unexpected(message.type)) }
        switch request {
        case .roster, .epoch:
            if let refusal, case .after(let asked) = refusal.retry {
                let wait = asked > .zero ? max(asked, MissingRecords.leastWait) : Limits.retry
                return missing.putOff(request, until: line.now + wait)
            }
        case .createInvite, .revoke, .successor: break
        }
        line.append(.answered(request, refusal))
    }

    /// Sends again what was put off, if it is due. After it, uploads the events that were refused because a
    /// record was missing.
    mutating func sendPutOff(_ line: inout ClientChannel) {
        guard let due = missing.due, due <= line.now else { return }
        missing.resume()
        sendMissing(&line)
        endStopsForLackingRecord(at: line.now)
    }

    /// Sends the server records of epochs that it turned out to lack. Right after them, the session uploads
    /// the events that the server refused because a record was missing.
    ///
    /// - Returns: False if the server was sent all of these records before.
    mutating func addMissing(_ records: [EpochRecord], _ line: inout ClientChannel) -> Bool {
        guard missing.add(records) else { return false }
        sendMissing(&line)
        endStopsForLackingRecord(at: line.now)
        retryStopped(&line)
        return true
    }

    /// Ends the stops of replicas that were stopped because the server lacked an epoch's record: they are due
    /// now.
    private mutating func endStopsForLackingRecord(at now: SteadyInstant) {
        for replica in replicas.stopped({ $0.lacksEpoch }) {
            replicas[replica]?.work = .stopped(ReplicaSyncState.Stop(until: now, lacksEpoch: true))
        }
    }
}
