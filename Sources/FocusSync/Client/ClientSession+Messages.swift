import FocusCore

extension ClientSession {
    /// One message came from the server.
    mutating func handle(_ message: Message) throws(WireError) {
        switch message {
        case .bye: return close(.serverLeft)
        case .error(let refusal): return end(refusal)
        default: break
        }
        switch state {
        case .unopened, .enrolled, .closed: break
        case .awaitingGreeting:
            guard case .greeting(let greeting) = message,
                ProtocolVersion.spoken.contains(greeting.chosen)
            else { throw .unexpected(message.type) }
            takeClock(greeting.clock)
            if case .enrol(let enrol) = purpose {
                send(.enrol(enrol))
                state = .awaitingEnrolment
            } else {
                state = .awaitingWelcome
            }
        case .awaitingEnrolment:
            if case .enrolled(let enrolled) = message {
                state = .enrolled
                effects.append(.enrolled(enrolled))
            } else {
                try takePong(message)
            }
        case .awaitingWelcome:
            if case .welcome(let welcome) = message { take(welcome) } else { try takePong(message) }
        case .catchingUp, .returning, .awaitingClock, .reauthoring, .live: try handleConnected(message)
        }
    }

    private mutating func handleConnected(_ message: Message) throws(WireError) {
        switch message {
        case .push(let segment): takePush(segment)
        case .ack(let ack): try takeAck(ack)
        case .chains(let replica, let heads): takeChains(replica) { $0.take(theirs: heads) }
        case .presence(let presence): effects.append(.presence(presence))
        case .inviteCreated(let tokenHash): effects.append(.inviteCreated(tokenHash))
        case .revoked(let device): effects.append(.revoked(device))
        case .refused(let subject, let refusal):
            if !shareLater(subject, refusal) { effects.append(.refused(subject, refusal)) }
        case .epoch(let record):
            awaitedEpochs.remove(record.epoch)
            effects.append(.epoch(record))
        default: try takePong(message)
        }
    }

    private mutating func end(_ refusal: Refusal) {
        guard refusal.code == .version else { return close(.refused(refusal)) }
        close(.version(VersionMismatch(client: ProtocolVersion.spoken, server: refusal.versions)))
    }

    private mutating func takePong(_ message: Message) throws(WireError) {
        guard case .pong(let answer) = message else { throw .unexpected(message.type) }
        takeClock(answer)
    }

    private mutating func takeClock(_ answer: ClockAnswer) {
        guard answer.asked == asked else { return }
        guard let reading = ClockReading(answer, arrived: lastHeard) else {
            if answer.served == nil { effects.append(.clockNotSure) }
            return
        }
        let before = clock.offset
        let isFirst = !clock.hasReading
        switch clock.take(reading, at: lastHeard) {
        case .follow(let best):
            if isFirst { clockError = max(0, before.subtractingReportingOverflow(best.offset).partialValue) }
            effects.append(.clock(best))
        case .keep: break
        case .jump(let jump): effects.append(.clockJumped(by: jump))
        }
    }

    private mutating func take(_ welcome: Welcome) {
        guard let log, log.group == welcome.group else {
            send(.bye)
            return close(.otherGroup(welcome.group))
        }
        effects.append(.connected(welcome))
        latest = welcome.latest
        for (replica, head) in welcome.vector.heads {
            replicas[replica] = ReplicaStanding(
                target: head.seq, serverSeq: head.seq, serverChain: head.chain)
        }
        state = .catchingUp(Set(welcome.vector.heads.keys))
        let epochs = log.epochs.filter { !$0.body.isEmpty }.map { $0.epoch }
        awaitedEpochs = Set(welcome.epochs).subtracting(epochs)
        send(.have(Have(vector: log.vector, epochs: epochs)))
        shared = SharedRecords(of: log, lackedBy: welcome)
        share()
        for replica in Set(log.vector.heads.keys).union(welcome.vector.heads.keys).sorted() {
            reconcile(replica)
        }
    }
}
