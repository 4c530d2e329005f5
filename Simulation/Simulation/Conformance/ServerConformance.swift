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
    private var asksIn = false
    private var hasSaidWhatItHas = false
    /// The last seq of each replica that the client has or was sent; and the seqs after which the client
    /// asked for the events again.
    private var known: [ReplicaID: UInt64] = [:]
    private var wanted: [ReplicaID: [UInt64]] = [:]
    /// The unanswered uploads of each replica, in order. An upload is disowned if the client has sent a
    /// `want` for the replica since.
    private var underWay: [ReplicaID: [(segment: Segment, isDisowned: Bool)]] = [:]
    /// The unanswered requests for chains, in order.
    private var asked: [(replica: ReplicaID, seqs: [UInt64])] = []
    /// The presence of each device that the client was last told.
    private var presence: [Digest: Presence] = [:]
    /// The epochs that the client has records of.
    private var epochs: Set<EpochID> = []
    /// The number of times that the client sent an epoch's record, or named it in its `have` though the
    /// welcome didn't. Each time, another device's copy may be on its way to the client.
    private var given: [EpochID: Int] = [:]
    /// The epochs with records that the welcome names.
    private var offered: Set<EpochID> = []
    /// The epochs of `offered` that the client lacks. If a record reached the server during the welcome, the
    /// client may get it twice: for the welcome, and together with the other clients.
    private var lacked: Set<EpochID> = []
    /// The numbers of the client's unanswered requests about its group, in order.
    private var requests: [RequestNumber] = []
    private var successors = 0
    /// The number of times that the client was sent a record that it had. Each successor that the client
    /// proposed allows one: if another successor came first, the server sends the client the earlier records.
    private var repeats: [EpochID: Int] = [:]

    /// Whether the server last told the client that the device is connected; nil if it told nothing about the
    /// device.
    func showsConnected(_ device: Digest) -> Bool? { presence[device]?.isConnected }

    // MARK: - Messages received

    /// Notes a message that the server has received.
    mutating func receives(_ message: Message) {
        switch message {
        case .hello(let hello): self.hello = self.hello ?? hello
        case .ping(let sent): pings.append(sent)
        case .enrol: asksIn = true
        case .have(let have):
            hasSaidWhatItHas = true
            known = have.vector.heads.mapValues(\.seq)
            epochs.formUnion(have.epochs)
            lacked = offered.subtracting(have.epochs)
            for epoch in Set(have.epochs).subtracting(offered) { given[epoch, default: 0] += 1 }
        case .want(let replica, let after):
            wanted[replica, default: []].append(after)
            underWay[replica] = underWay[replica]?.map { ($0.segment, true) }
        case .upload(let segment): underWay[segment.replica, default: []].append((segment, false))
        case .chainsAsked(let replica, let seqs): asked.append((replica, seqs))
        case .request(let number, let request):
            requests.append(number)
            asks(request)
        default: break
        }
    }

    private mutating func asks(_ request: GroupRequest) {
        switch request {
        case .epoch(let record):
            guard !record.body.isEmpty else { break }
            epochs.insert(record.epoch)
            given[record.epoch, default: 0] += 1
        case .successor: successors += 1
        case .createInvite, .revoke, .roster: break
        }
    }

    // MARK: - Messages sent

    /// Notes a message that the server sends.
    ///
    /// - Returns: The breach of the protocol, or nil if there is none.
    mutating func sends(_ message: Message) -> String? {
        switch (state, message) {
        case (.over, _): return "\(message.type) after the end"
        case (_, .error), (_, .bye): state = .over
        case (.silent, .greeting(let greeting)): return greets(greeting)
        case (.silent, _): return "\(message.type) before the greeting"
        case (_, .pong(let answer)): return answers(answer)
        case (.greeted, .enrolled): return asksIn ? nil : "enrolled without an enrol"
        case (.greeted(let hello), .welcome(let welcome)):
            guard hello.purpose == .sync || asksIn else { return "a welcome without an enrol" }
            return welcomes(welcome)
        case (.greeted, _): return "\(message.type) before the welcome"
        case (.welcomed, _): return tells(message)
        }
        return nil
    }

    private mutating func greets(_ greeting: Greeting) -> String? {
        guard let hello else { return "a greeting before the hello" }
        state = .greeted(hello)
        guard greeting.clock.asked == hello.sent else { return "a greeting for another hello" }
        let common = hello.versions.filter(greeting.versions.contains).max { $0.rawValue < $1.rawValue }
        return greeting.chosen == common ? nil : "version \(greeting.chosen), not \(common as Any)"
    }

    private mutating func answers(_ answer: ClockAnswer) -> String? {
        guard !pings.isEmpty else { return "a pong without a ping" }
        let sent = pings.removeFirst()
        guard answer.asked == sent else { return "a pong for \(answer.asked.ticks), not \(sent.ticks)" }
        guard let served = answer.served, served.received > served.sent else { return nil }
        return "a pong that was sent before the ping came"
    }

    private mutating func welcomes(_ welcome: Welcome) -> String? {
        state = .welcomed
        offered = Set(welcome.epochs)
        for presence in welcome.presence { self.presence[presence.device] = presence }
        return nil
    }

    private mutating func tells(_ message: Message) -> String? {
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
            if let times = given[record.epoch], times > 0 {
                given[record.epoch] = times - 1
                return nil
            }
            repeats[record.epoch, default: 0] += 1
            return repeats[record.epoch] ?? 0 <= successors + (lacked.contains(record.epoch) ? 1 : 0)
                ? nil : "the record of \(record.epoch), which the client has"
        default: break
        }
        guard hasSaidWhatItHas else { return "\(message.type) before the have" }
        switch message {
        case .push(let segment): return pushes(segment)
        case .ack(let ack): return acknowledges(ack)
        case .chains(let replica, let heads): return answers(replica, heads)
        case .done(let number), .refused(let number, _): return answers(number)
        default: return "\(message.type), which a server doesn't send"
        }
    }

    private mutating func answers(_ replica: ReplicaID, _ heads: [Head]) -> String? {
        guard !asked.isEmpty else { return "chains that weren't asked for" }
        let asked = asked.removeFirst()
        guard asked.replica == replica else { return "chains of \(replica), not \(asked.replica)" }
        var seqs = asked.seqs[...]
        for head in heads {
            guard let index = seqs.firstIndex(of: head.seq) else {
                return "the chain at \(head.seq) of \(replica), which wasn't asked for"
            }
            seqs = seqs[(index + 1)...]
        }
        return nil
    }

    /// Checks the answer to a request about the group. Each request is answered once, in order.
    private mutating func answers(_ number: RequestNumber) -> String? {
        guard !requests.isEmpty else { return "an answer to request \(number.rawValue), which isn't open" }
        let next = requests.removeFirst()
        return number == next
            ? nil : "an answer to request \(number.rawValue), not \(next.rawValue)"
    }

    private mutating func pushes(_ segment: Segment) -> String? {
        let replica = segment.replica
        let expected = known[replica, default: 0] + 1
        known[replica] = segment.lastSeq
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

    private mutating func acknowledges(_ ack: Ack) -> String? {
        let replica = ack.replica
        guard let (segment, isDisowned) = underWay[replica]?.first else {
            return "an ack of \(replica) without an upload"
        }
        underWay[replica]?.removeFirst()
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
        if !isDisowned { known[replica] = max(known[replica, default: 0], min(seq, segment.lastSeq)) }
        return nil
    }
}
