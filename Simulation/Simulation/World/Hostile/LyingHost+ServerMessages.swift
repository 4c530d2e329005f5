import FocusCore
import FocusSync
import TestSupport

// The host's treatment of the server's messages.
extension LyingHost {
    /// Returns the messages that the host sends to a laptop in place of a message of the server.
    func passedDown(_ message: Message, on conversation: Conversation) -> [Message] {
        if isLying(.turnsAway, on: conversation), chance(oneIn: 3) { return turnAway(conversation) }
        if isLying(.hangsUp, on: conversation), chance(oneIn: 4) {
            recordLie(.hangsUp)
            hangUp(on: conversation)
        }
        switch message {
        case .enrolled(let enrolled): return letIn(enrolled, on: conversation)
        case .welcome(let welcome): return welcomed(welcome, on: conversation)
        case .push(let segment): return pushed(segment, on: conversation)
        case .ack(let ack): return [.ack(acknowledged(ack, on: conversation))]
        case .greeting(var greeting):
            greeting.clock = shifted(greeting.clock, on: conversation)
            return [.greeting(greeting)]
        case .pong(let answer): return [.pong(shifted(answer, on: conversation))]
        case .presence(let presence): return [.presence(misstated(presence, on: conversation))]
        case .epoch(let record): return recorded(record, on: conversation)
        default: return [message]
        }
    }

    private func turnAway(_ conversation: Conversation) -> [Message] {
        recordLie(.turnsAway)
        hangUp(on: conversation)
        return [.error(refusal())]
    }

    // MARK: - Enrolment

    private func letIn(_ enrolled: Enrolled, on conversation: Conversation) -> [Message] {
        defer { enrolments.append(enrolled) }
        guard isLying(.misstatesEnrolments, on: conversation) else { return [.enrolled(enrolled)] }
        recordLie(.misstatesEnrolments)
        return misstated(enrolled).map { [.enrolled($0)] } ?? []
    }

    /// Returns a false answer, or nil for none.
    func misstated(_ enrolled: Enrolled) -> Enrolled? {
        let bundles = enrolments.map(\.bundle) + [[], random.bytes(randomNumber(1...200))]
        switch randomNumber(0...3) {
        case 0: return nil
        case 1:
            return Enrolled(group: GroupID(high: random.next(), low: random.next()), bundle: enrolled.bundle)
        case 2: return Enrolled(group: enrolled.group, bundle: bundles.randomElement(using: &random) ?? [])
        default: return enrolments.randomElement(using: &random)
        }
    }

    // MARK: - The clock

    private func shifted(_ answer: ClockAnswer, on conversation: Conversation) -> ClockAnswer {
        guard let lie = lie(.shiftsTime, on: conversation), let served = answer.served else { return answer }
        recordLie(.shiftsTime)
        var dice = SeededGenerator(seed: lie.seed)
        let most: Int64 =
            [.seconds(5), .seconds(110), .minutes(10), .minutes(24 * 60), .minutes(365 * 24 * 60)]
            .randomElement(using: &dice) ?? 0
        let shift = Duration.microseconds(Int64.random(in: -most...most, using: &dice))
        // Sometimes the answer says that the server isn't sure of its clock, or has readings that no clock
        // can have.
        if chance(oneIn: 8) { return ClockAnswer(asked: answer.asked, served: nil) }
        if chance(oneIn: 12) {
            return ClockAnswer(
                asked: answer.asked,
                served: ClockAnswer.Served(
                    received: SharedReading(microseconds: -(1 << 62)),
                    sent: SharedReading(microseconds: 1 << 62)))
        }
        return ClockAnswer(
            asked: answer.asked,
            served: ClockAnswer.Served(received: served.received + shift, sent: served.sent + shift))
    }

    // MARK: - The welcome

    private func welcomed(_ welcome: Welcome, on conversation: Conversation) -> [Message] {
        conversation.group = welcome.group
        if oldWelcomes[welcome.group] == nil || chance(oneIn: 20) { oldWelcomes[welcome.group] = welcome }
        var changed = welcome
        if isLying(.forks, on: conversation), let old = oldWelcomes[welcome.group] {
            recordLie(.forks)
            changed.vector = old.vector
            changed.latest = old.latest
            changed.roster = old.roster
            changed.epochs = old.epochs
        }
        if isLying(.misstatesHeads, on: conversation) { misstateHeads(of: &changed) }
        if isLying(.listsStrangers, on: conversation) {
            recordLie(.listsStrangers)
            for _ in 0..<randomNumber(1...4) {
                let stranger = RosterEntry(device: random.digest(), isRevoked: chance(oneIn: 4))
                changed.roster.append(stranger)
                changed.presence.append(
                    Presence(device: stranger.device, isConnected: chance(oneIn: 2), lastSeen: 0))
            }
        }
        if isLying(.revokes, on: conversation) {
            let victims = victims(on: conversation).filter { _ in chance(oneIn: 2) }
            for victim in victims { recordFramed(victim) }
            if !victims.isEmpty { recordLie(.revokes) }
            changed.roster = changed.roster.filter { !victims.contains($0.device) }
            changed.roster += victims.map { RosterEntry(device: $0, isRevoked: true) }
        }
        if isLying(.forgesEpochs, on: conversation) {
            recordLie(.forgesEpochs)
            if chance(oneIn: 2) { changed.epochs.append(EpochID(rawValue: random.next())) }
            if chance(oneIn: 2), !changed.epochs.isEmpty { changed.epochs.removeLast() }
        }
        changed.presence = misstated(changed.presence, on: conversation)
        changed.addresses = addresses(on: conversation)
        return [.welcome(changed)]
    }

    /// Returns the addresses that a welcome announces: the server's, after which laptops forget false ones.
    private func addresses(on conversation: Conversation) -> [String] {
        guard isLying(.misstatesAddresses, on: conversation) else { return [ServerMachine.host] }
        recordLie(.misstatesAddresses)
        return (0..<Limits.addresses).map { _ in "false-\(randomNumber(0...1 << 30)).example" }
    }

    private func misstateHeads(of welcome: inout Welcome) {
        recordLie(.misstatesHeads)
        for (replica, head) in welcome.vector.heads.sorted(by: { $0.key < $1.key }) {
            switch randomNumber(0...5) {
            case 0: welcome.vector[replica] = .empty
            case 1:
                welcome.vector[replica] = Head(seq: head.seq + UInt64(randomNumber(1...9)), chain: chain())
            case 2: welcome.vector[replica] = Head(seq: head.seq, chain: chain())
            case 3 where head.seq > 1:
                welcome.vector[replica] = Head(seq: UInt64(randomNumber(1...Int(head.seq))), chain: chain())
            default: break
            }
        }
        if chance(oneIn: 2) {
            welcome.vector[ReplicaID(rawValue: random.next())] = Head(
                seq: UInt64(randomNumber(1...9)), chain: chain())
        }
        switch randomNumber(0...4) {
        case 0: welcome.latest = .zero
        case 1: welcome.latest = Stamp(rawValue: .max >> 1)
        default: break
        }
    }

    /// Returns a chain that no events have.
    private func chain() -> Chain { Chain(high: random.next(), low: random.next()) }

    /// Returns the keys of the connection's group that the host may call revoked. It spares one laptop, which
    /// can let the others in again.
    private func victims(on conversation: Conversation) -> [Digest] {
        let others = world.laptops.filter { $0.group == conversation.link.laptop.group }
        guard let spared = others.first(where: { !world.plan.outsiders.contains($0.index) }) else {
            return []
        }
        return others.filter { $0.key != spared.key }.map(\.key)
    }

    // MARK: - Acknowledgements, presence, epochs

    private func acknowledged(_ ack: Ack, on conversation: Conversation) -> Ack {
        guard isLying(.misstatesAcknowledgements, on: conversation), chance(oneIn: 2) else { return ack }
        recordLie(.misstatesAcknowledgements)
        var changed = ack
        changed.head =
            chance(oneIn: 2)
            ? Head(seq: ack.head.seq + UInt64(randomNumber(0...20)), chain: chain())
            : Head(seq: ack.head.seq / 2, chain: chain())
        if chance(oneIn: 3) { changed.stop = stop() } else if chance(oneIn: 2) { changed.stop = nil }
        return changed
    }

    private func misstated(_ presence: [Presence], on conversation: Conversation) -> [Presence] {
        guard isLying(.misstatesPresence, on: conversation) else { return presence }
        recordLie(.misstatesPresence)
        let times: [SharedInstant] = [
            .zero, SharedInstant(milliseconds: -(1 << 62)), SharedInstant(milliseconds: 1 << 62),
            world.sharedNow,
        ]
        var changed = presence.filter { _ in !chance(oneIn: 4) }.map {
            Presence(
                device: $0.device, isConnected: chance(oneIn: 2),
                lastSeen: times.randomElement(using: &random) ?? .zero)
        }
        for _ in 0..<randomNumber(0...3) {
            changed.append(Presence(device: random.digest(), isConnected: true, lastSeen: .zero))
        }
        return changed
    }

    private func recorded(_ record: EpochRecord, on conversation: Conversation) -> [Message] {
        if isLying(.withholdsEpochs, on: conversation) || isLying(.forks, on: conversation) {
            // A fork withholds records too. That counts as this lie.
            recordLie(.withholdsEpochs)
            return []
        }
        guard isLying(.forgesEpochs, on: conversation), !record.body.isEmpty, chance(oneIn: 2) else {
            return [.epoch(record)]
        }
        recordLie(.forgesEpochs)
        var body = record.body
        body[randomNumber(0...body.count - 1)] ^= 1
        return [.epoch(EpochRecord(epoch: record.epoch, predecessor: record.predecessor, body: body))]
    }
}
