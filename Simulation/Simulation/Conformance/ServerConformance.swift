import FocusCore
import FocusSync

/// Checks a server's end of one connection against docs/protocol.md. It is a second implementation of the
/// server's rules: it knows only the messages sent and received.
struct ServerConformance {
    private enum State {
        case silent
        case greeted(Hello)
        case welcomed
        case over
    }

    private var state = State.silent
    /// The first hello, and the unanswered pings in order.
    private var hello: Hello?
    private var pings: [SteadyInstant] = []
    /// Whether the client has asked to be let in, and whether it has sent its `have`.
    private var hasSentEnrol = false
    private var hasSentHave = false
    /// The last seq of each replica that the client has or was sent; and the seqs after which the client
    /// asked for the events again.
    private var clientSeqs: [ReplicaID: UInt64] = [:]
    private var wanted: [ReplicaID: [UInt64]] = [:]
    /// The unanswered uploads of each replica, in order. An upload is wanted again if the client has sent a
    /// `want` for the replica since.
    private var unansweredUploads: [ReplicaID: [(segment: Segment, isWantedAgain: Bool)]] = [:]
    /// The unanswered requests for chains, in order.
    private var chainRequests: [(replica: ReplicaID, seqs: [UInt64])] = []
    /// The presence of each device that the client was last told.
    private var presence: [Digest: Presence] = [:]
    /// The epochs that the client has records of.
    private var epochs: Set<EpochID> = []
    /// The number of times that the server may still send a record that the client has. The client sent the
    /// record, or named its epoch in the `have` although the welcome didn't. Another device's copy may be on
    /// its way to the client each time.
    private var sentRecords: [EpochID: Int] = [:]
    /// The epochs with records that the welcome names.
    private var welcomeEpochs: Set<EpochID> = []
    /// The epochs of `welcomeEpochs` that the client lacks. If a record reached the server during the
    /// welcome, the client may get it twice: for the welcome, and together with the other clients.
    private var missingEpochs: Set<EpochID> = []
    /// The numbers of the client's unanswered requests about its group, in order.
    private var requests: [RequestNumber] = []
    /// The number of successors that the client has proposed.
    private var successors = 0
    /// The number of times that the client was sent a record that it had. Each successor that the client
    /// proposed allows one: if another successor came first, the server sends the client the earlier records.
    private var repeats: [EpochID: Int] = [:]

    /// Whether the server last told the client that the device is connected; nil if it told nothing about the
    /// device.
    func showsConnected(_ device: Digest) -> Bool? { presence[device]?.isConnected }

    // MARK: - Messages received

    /// Records a message that the server has received.
    mutating func recordReceived(_ message: Message) {
        switch message {
        case .hello(let hello): self.hello = self.hello ?? hello
        case .ping(let sent): pings.append(sent)
        case .enrol: hasSentEnrol = true
        case .have(let have):
            hasSentHave = true
            clientSeqs = have.vector.heads.mapValues(\.seq)
            epochs.formUnion(have.epochs)
            missingEpochs = welcomeEpochs.subtracting(have.epochs)
            for epoch in Set(have.epochs).subtracting(welcomeEpochs) { sentRecords[epoch, default: 0] += 1 }
        case .want(let replica, let after):
            wanted[replica, default: []].append(after)
            unansweredUploads[replica] = unansweredUploads[replica]?.map { ($0.segment, true) }
        case .upload(let segment): unansweredUploads[segment.replica, default: []].append((segment, false))
        case .chainsAsked(let replica, let seqs): chainRequests.append((replica, seqs))
        case .request(let number, let request):
            requests.append(number)
            recordRequest(request)
        default: break
        }
    }

    private mutating func recordRequest(_ request: GroupRequest) {
        switch request {
        case .epoch(let record):
            guard !record.body.isEmpty else { break }
            epochs.insert(record.epoch)
            sentRecords[record.epoch, default: 0] += 1
        case .successor: successors += 1
        case .createInvite, .revoke, .roster: break
        }
    }

    // MARK: - Messages sent

    /// Checks a message that the server sends.
    ///
    /// - Returns: The breach of the protocol, or nil if there is none.
    mutating func checkSent(_ message: Message) -> String? {
        switch (state, message) {
        case (.over, _): return "\(message.type) after the end"
        case (_, .error), (_, .bye): state = .over
        case (.silent, .greeting(let greeting)): return checkGreeting(greeting)
        case (.silent, _): return "\(message.type) before the greeting"
        case (_, .pong(let answer)): return checkPong(answer)
        case (.greeted, .enrolled): return hasSentEnrol ? nil : "enrolled without an enrol"
        case (.greeted(let hello), .welcome(let welcome)):
            guard hello.purpose == .sync || hasSentEnrol else { return "a welcome without an enrol" }
            return checkWelcome(welcome)
        case (.greeted, _): return "\(message.type) before the welcome"
        case (.welcomed, _): return checkWelcomed(message)
        }
        return nil
    }

    private mutating func checkGreeting(_ greeting: Greeting) -> String? {
        guard let hello else { return "a greeting before the hello" }
        state = .greeted(hello)
        guard greeting.clock.asked == hello.sent else { return "a greeting for another hello" }
        let common = hello.versions.filter(greeting.versions.contains).max { $0.rawValue < $1.rawValue }
        return greeting.chosen == common ? nil : "version \(greeting.chosen), not \(common as Any)"
    }

    private mutating func checkPong(_ answer: ClockAnswer) -> String? {
        guard !pings.isEmpty else { return "a pong without a ping" }
        let sent = pings.removeFirst()
        guard answer.asked == sent else { return "a pong for \(answer.asked.ticks), not \(sent.ticks)" }
        guard let served = answer.served, served.received > served.sent else { return nil }
        return "a pong that was sent before the ping came"
    }

    private mutating func checkWelcome(_ welcome: Welcome) -> String? {
        state = .welcomed
        welcomeEpochs = Set(welcome.epochs)
        for presence in welcome.presence { self.presence[presence.device] = presence }
        return nil
    }

    private mutating func checkWelcomed(_ message: Message) -> String? {
        switch message {
        case .presence(let changes):
            for change in changes {
                guard presence.updateValue(change, forKey: change.device) != change else {
                    return "\(change.device)'s presence, which hasn't changed: \(change.isConnected)"
                }
            }
            return nil
        // The server remembers a limited number of revocations, so it may tell of a forgotten one again.
        case .revoked: return nil
        case .epoch(let record):
            if epochs.insert(record.epoch).inserted { return nil }
            if let times = sentRecords[record.epoch], times > 0 {
                sentRecords[record.epoch] = times - 1
                return nil
            }
            repeats[record.epoch, default: 0] += 1
            return repeats[record.epoch] ?? 0 <= successors + (missingEpochs.contains(record.epoch) ? 1 : 0)
                ? nil : "the record of \(record.epoch), which the client has"
        default: break
        }
        guard hasSentHave else { return "\(message.type) before the have" }
        switch message {
        case .push(let segment): return checkPush(segment)
        case .ack(let ack): return checkAck(ack)
        case .chains(let replica, let heads): return checkChains(replica, heads)
        case .done(let number), .refused(let number, _): return checkAnswer(number)
        default: return "\(message.type), which a server doesn't send"
        }
    }

    private mutating func checkChains(_ replica: ReplicaID, _ heads: [Head]) -> String? {
        guard !chainRequests.isEmpty else { return "chains that weren't asked for" }
        let request = chainRequests.removeFirst()
        guard request.replica == replica else { return "chains of \(replica), not \(request.replica)" }
        var seqs = request.seqs[...]
        for head in heads {
            guard let index = seqs.firstIndex(of: head.seq) else {
                return "the chain at \(head.seq) of \(replica), which wasn't asked for"
            }
            seqs = seqs[(index + 1)...]
        }
        return nil
    }

    /// Checks the answer to a request about the group. Each request is answered once, in order.
    private mutating func checkAnswer(_ number: RequestNumber) -> String? {
        guard !requests.isEmpty else { return "an answer to request \(number.rawValue), which isn't open" }
        let next = requests.removeFirst()
        return number == next
            ? nil : "an answer to request \(number.rawValue), not \(next.rawValue)"
    }

    private mutating func checkPush(_ segment: Segment) -> String? {
        let replica = segment.replica
        let expected = clientSeqs[replica, default: 0] + 1
        clientSeqs[replica] = segment.lastSeq
        if let index = wanted[replica]?.firstIndex(of: segment.firstSeq - 1) {
            wanted[replica]?.removeSubrange(...index)
            return nil
        }
        // The server may have nothing of the replica when the `want` arrives, and then notes nothing. Later
        // events of the replica begin with the first.
        if segment.firstSeq == 1, wanted[replica]?.isEmpty == false { return nil }
        // The client may send a `want` while this push is on its way.
        return segment.firstSeq == expected
            ? nil : "a push of \(replica) from \(segment.firstSeq) on, not \(expected)"
    }

    private mutating func checkAck(_ ack: Ack) -> String? {
        let replica = ack.replica
        guard let (segment, isWantedAgain) = unansweredUploads[replica]?.first else {
            return "an ack of \(replica) without an upload"
        }
        unansweredUploads[replica]?.removeFirst()
        let seq = ack.head.seq
        switch ack.stop?.code {
        case nil:
            guard seq >= segment.lastSeq else {
                return "an ack of \(replica) through \(seq) of \(segment.lastSeq)"
            }
        case .parted?: return nil
        case .gap?:
            return segment.firstSeq > seq + 1
                ? nil : "no gap between \(seq) and \(segment.firstSeq) of \(replica)"
        case .rate?:
            if ack.stop?.after == nil { return "rate without a time" }
        // The whole batch failed, for reasons that have nothing to do with this upload.
        case .noRoom?, .internal?: break
        case _?:
            guard seq < segment.lastSeq else {
                return "\(replica) stopped through \(seq) of \(segment.lastSeq)"
            }
        }
        if !isWantedAgain {
            clientSeqs[replica] = max(clientSeqs[replica, default: 0], min(seq, segment.lastSeq))
        }
        return nil
    }
}
