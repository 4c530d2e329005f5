import FocusCore
import FocusSync
import TestSupport

// The host's changes to events, and messages that it sends unasked.
extension LyingHost {
    /// Returns the messages that the host sends to a laptop in place of this push.
    func pushed(_ segment: Segment, on conversation: Conversation) -> [Message] {
        if isLying(.withholdsEvents, on: conversation) || isLying(.forks, on: conversation) {
            recordLie(.withholdsEvents)
            return []
        }
        if isLying(.altersEvents, on: conversation), chance(oneIn: 3), let altered = altered(segment) {
            recordLie(.altersEvents)
            return [.push(altered)]
        }
        guard isLying(.jumblesEvents, on: conversation) else { return [.push(segment)] }
        recordLie(.jumblesEvents)
        switch randomNumber(0...3) {
        case 0: return [.push(segment), .push(segment)]
        case 1:
            conversation.delayedSegment = segment
            return []
        default:
            let late = conversation.delayedSegment
            conversation.delayedSegment = nil
            return [.push(segment)] + (late.map { [.push($0)] } ?? [])
        }
    }

    /// Begins a lie on a connection, and sends the messages that some lies begin with.
    func begin(_ deceit: HostDeception, on conversation: Conversation) {
        guard let group = conversation.group, conversation.hasSentHave else { return }
        switch deceit {
        case .forgesEvents: for _ in 0..<randomNumber(1...4) { forge(in: group, on: conversation) }
        case .usurpsNames:
            recordLie(.usurpsNames)
            for replica in server.vector(of: group).heads.keys.sorted() {
                forge(
                    as: replica, of: epoch(), in: group, following: true,
                    on: conversation)
            }
        case .forgesEpochs:
            recordLie(.forgesEpochs)
            let record = EpochRecord(
                epoch: epoch(), predecessor: epochs[group],
                body: random.bytes(randomNumber(0...600)))
            say(.epoch(record), on: conversation)
        case .revokes:
            for victim in world.laptops
            where victim.index != 0 && victim.group == conversation.link.laptop.group && chance(oneIn: 3) {
                sayRevoked(victim, on: conversation)
            }
        case .misstatesEnrolments:
            recordLie(.misstatesEnrolments)
            if let unasked = misstated(Enrolled(group: group, bundle: [])) {
                say(.enrolled(unasked), on: conversation)
            }
        case .listsStrangers:
            recordLie(.listsStrangers)
            say(.revoked(random.digest()), on: conversation)
        case .misstatesPresence:
            recordLie(.misstatesPresence)
            let presence = (0..<randomNumber(1...20)).map { _ in
                Presence(device: random.digest(), isConnected: !chance(oneIn: 4), lastSeen: 0)
            }
            say(.presence(presence), on: conversation)
        case .turnsAway:
            recordLie(.turnsAway)
            say(.error(refusal()), on: conversation)
            hangUp(on: conversation)
        case .hangsUp:
            recordLie(.hangsUp)
            hangUp(on: conversation)
        default: break
        }
    }

    /// Says that a laptop's key is revoked. Spares one laptop, which can let the others in again (`victims`).
    private func sayRevoked(_ victim: Laptop, on conversation: Conversation) {
        let others = world.laptops.filter { $0.group == victim.group }
        guard others.first(where: { !world.plan.outsiders.contains($0.index) })?.key != victim.key else {
            return
        }
        recordLie(.revokes)
        recordFramed(victim.key)
        guard victim === conversation.link.laptop else { return say(.revoked(victim.key), on: conversation) }
        say(.error(Refusal(.revoked, "no")), on: conversation)
        hangUp(on: conversation)
    }

    // MARK: - Events

    /// Returns the segment with one event's body changed.
    private func altered(_ segment: Segment) -> Segment? {
        var packed = segment.packed
        let events = Array(segment.events)
        guard let event = events.randomElement(using: &random),
            let index = event.body.randomElement(using: &random)
        else { return nil }
        packed[index] ^= 1
        forged.insert(event.stamp)
        return try? Segment(
            replica: segment.replica, firstSeq: segment.firstSeq, chainBefore: segment.chainBefore,
            packed: packed)
    }

    /// Sends events that the group's laptops haven't written.
    private func forge(in group: GroupID, on conversation: Conversation) {
        recordLie(.forgesEvents)
        if chance(oneIn: 3),
            let (_, other) = seenSegments.sorted(by: { $0.key.high < $1.key.high })
                .first(where: { $0.key != group }), let segment = other.randomElement(using: &random)
        {
            trace("brings events of another group")
            transplanted.insert(segment.replica)
            for event in segment.events { forged.insert(event.stamp) }
            return say(.push(segment), on: conversation)
        }
        let theirs = server.vector(of: group).heads.keys.sorted().randomElement(using: &random)
        let replica = chance(oneIn: 2) ? ReplicaID(rawValue: random.next()) : theirs ?? ReplicaID(rawValue: 1)
        let epoch =
            chance(oneIn: 3) ? self.epoch() : epochs[group] ?? EpochID(rawValue: 1)
        forge(as: replica, of: epoch, in: group, following: chance(oneIn: 2), on: conversation)
    }

    /// Sends events as a replica.
    ///
    /// - Parameter isFollowing: Whether they follow the server's head of the replica. If not, they may have
    ///   earlier stamps and begin at seq 1.
    private func forge(
        as replica: ReplicaID, of epoch: EpochID, in group: GroupID, following isFollowing: Bool,
        on conversation: Conversation
    ) {
        let known = server.vector(of: group)[replica]
        var author = HostileAuthor(replica, group, after: !isFollowing && chance(oneIn: 2) ? .empty : known)
        // The stamps use the true time even if the server's clock is wrong, because no honest server ever
        // accepts events far ahead of it.
        let time = world.sharedNow - .milliseconds(isFollowing ? 0 : randomNumber(0...100_000))
        let segment = author.write(randomNumber(1...3), at: time) { id, stamp in
            forged.insert(stamp)
            return SealedEvent(
                id: id, stamp: stamp, epoch: epoch, body: random.bytes(16 + 64 * randomNumber(1...3)))
        }
        if let segment { say(.push(segment), on: conversation) }
    }
}
