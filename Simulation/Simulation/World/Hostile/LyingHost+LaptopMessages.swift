import FocusCore
import FocusSeal
import FocusSync

// The host's treatment of laptops' messages.
extension LyingHost {
    /// Returns the messages that the host sends to the server in place of a laptop's message.
    func passedUp(_ message: Message, on conversation: Conversation) -> [Message] {
        switch message {
        case .upload(let segment): return passesUpload(segment, on: conversation) ? [message] : []
        case .have:
            conversation.hasSentHave = true
            return [message]
        case .request(let number, .createInvite), .request(let number, .revoke),
            .request(let number, .successor):
            return refuse(number, message, on: conversation)
        default: return [message]
        }
    }

    /// Decides whether the server gets an upload. If not, the host may answer it instead of the server.
    ///
    /// - Returns: Whether the server gets it.
    private func passesUpload(_ segment: Segment, on conversation: Conversation) -> Bool {
        guard let group = conversation.group else { return true }
        remember(segment, of: group)
        if isLying(.takesNothing, on: conversation) {
            recordLie(.takesNothing)
            return false
        }
        if isLying(.refusesUploads, on: conversation), chance(oneIn: 2) {
            recordLie(.refusesUploads)
            let head = chance(oneIn: 2) ? server.vector(of: group)[segment.replica] : Head.empty
            say(.ack(Ack(replica: segment.replica, head: head, stop: stop())), on: conversation)
            return false
        }
        let isClaimed = isLying(.claimsToStore, on: conversation) || isLying(.forks, on: conversation)
        // Once it has claimed to store a replica's upload, it mostly goes on claiming so for that replica.
        guard isClaimed || conversation.discardedHeads[segment.replica] != nil && !chance(oneIn: 4) else {
            return true
        }
        recordLie(.claimsToStore)
        guard let head = head(after: segment, in: group) else { return true }
        conversation.discardedHeads[segment.replica] = head
        say(.ack(Ack(replica: segment.replica, head: head, stop: nil)), on: conversation)
        return false
    }

    /// Keeps a segment to send it later, perhaps to another group.
    private func remember(_ segment: Segment, of group: GroupID) {
        seenSegments[group, default: []].append(segment)
        if seenSegments[group, default: []].count > 40 { seenSegments[group]?.removeFirst() }
        for event in segment.events { epochs[group] = event.epoch }
    }

    /// Returns the head of a log after these events.
    private func head(after segment: Segment, in group: GroupID) -> Head? {
        guard var hasher = try? ChainHasher(group: group) else { return nil }
        var chain = segment.chainBefore
        for event in segment.events {
            guard let next = try? hasher.chain(after: chain, segment.sealed(event)) else { return nil }
            chain = next
        }
        return Head(seq: segment.lastSeq, chain: chain)
    }

    /// Returns a random reason to stop, and a random time to wait.
    func stop() -> Ack.Stop {
        let codes: [RefusalCode] = [
            .gap, .parted, .clockAhead, .clockNotSure, .unknownEpoch, .rate, .internal, .noRoom, .groupFull,
            .malformed, RefusalCode(rawValue: 99),
        ]
        return Ack.Stop(code: codes.randomElement(using: &random) ?? .internal, after: wait())
    }

    /// Returns a random time to wait, or nil for none.
    private func wait() -> Duration? {
        let waits: [UInt32?] = [nil, 1, 500, 30_000, 3_600_000, .max]
        return (waits.randomElement(using: &random) ?? nil).map { .milliseconds($0) }
    }

    /// Refuses a request, or passes it on.
    private func refuse(
        _ number: RequestNumber, _ message: Message, on conversation: Conversation
    ) -> [Message] {
        guard isLying(.refusesRequests, on: conversation) else { return [message] }
        recordLie(.refusesRequests)
        if chance(oneIn: 3) { return [] }
        say(.refused(number, refusal()), on: conversation)
        return []
    }

    /// Returns a random refusal.
    func refusal() -> Refusal {
        let codes: [RefusalCode] = [
            .unknownDevice, .notAllowed, .rate, .quota, .busy, .shuttingDown, .internal, .silence, .noRoom,
            .groupFull, .malformed, .version, .unknownEpoch, RefusalCode(rawValue: 99),
        ]
        let code = codes.randomElement(using: &random) ?? .busy
        return Refusal(
            code, "no", retry: chance(oneIn: 3) ? .never : .after(wait() ?? .zero),
            versions: code == .version ? [.one] : [])
    }
}
