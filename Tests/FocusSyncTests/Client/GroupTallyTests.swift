import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("What a server says that there is of a group")
struct GroupTallyTests: ClientScripts {
    /// Returns the reason for which a session closes that receives `messages`; nil if it doesn't close.
    private func closing(_ messages: some Sequence<Message>, having log: LocalLog? = nil)
        -> ClientCloseReason?
    {
        var session = session(of: log ?? LocalLog(group: group, vector: VersionVector()))
        open(&session, welcome([:]))
        for message in messages {
            for case .close(let closing) in session.received(message.bytes, at: 300) { return closing }
        }
        return nil
    }

    private func records(_ count: Int, from first: Int = 1, body: Int = 1) -> [Message] {
        (first..<first + count).map {
            .epoch(
                EpochRecord(
                    epoch: EpochID(rawValue: UInt64($0)), predecessor: nil,
                    body: Array(repeating: 1, count: body)))
        }
    }

    private func revoked(_ count: Int) throws -> [Message] {
        try (0..<count).map { number in
            var bytes = Array(repeating: UInt8(0), count: Digest.length - 8)
            bytes.appendBigEndian(UInt64(number))
            return .revoked(try #require(Digest(bytes: bytes)))
        }
    }

    private func pushes(_ count: Int) throws -> [Message] {
        try (0..<count).map { number in
            .push(try segment(makeEvents(ReplicaID(rawValue: UInt64(1_000 + number)), 1)))
        }
    }

    @Test("a server that sends more than any group has is hung up on, and one that sends as much isn't")
    func bounds() throws {
        #expect(closing(records(Limits.epochs)) == nil)
        #expect(closing(records(Limits.epochs + 1)) == .excess(.epochs))
        let most = Limits.epochBytes / Limits.epochBody
        #expect(closing(records(most, body: Limits.epochBody)) == nil)
        #expect(
            closing(records(most, body: Limits.epochBody) + records(1, from: most + 1)) == .excess(.epochs))
        #expect(closing(try revoked(Limits.devices)) == nil)
        #expect(closing(try revoked(Limits.devices + 1)) == .excess(.devices))
        #expect(closing(try pushes(Limits.heads)) == nil)
        #expect(closing(try pushes(Limits.heads + 1)) == .excess(.replicas))
    }

    @Test("what a server says again counts once")
    func again() throws {
        let messages = try records(3_000) + revoked(3_000)
        #expect(closing(messages + messages + records(3_000, body: 2)) == nil)
    }

    @Test("records that the laptop has count too, but not those that go since nothing speaks for them")
    func kept() {
        let had = (1...3_000).map {
            EpochRecord(epoch: EpochID(rawValue: UInt64($0)), predecessor: nil, body: [1])
        }
        let new = records(1_097, from: 10_000)
        var log = LocalLog(group: group, vector: VersionVector(), epochs: had)
        #expect(closing(new, having: log) == .excess(.epochs))
        log.epochs = []
        log.unfounded = Dictionary(uniqueKeysWithValues: had.map { ($0.epoch, Limits.epochBody) })
        #expect(closing(new, having: log) == nil)
    }

    @Test("an epoch's name, which a server has no reason to send, is passed over")
    func names() {
        var session = live([:])
        expect(session.received(Message.epoch(EpochRecord(naming: firstEpoch)).bytes, at: 300), is: [])
    }

    @Test("no time to wait that a server names is longer than 15 minutes")
    func waits() throws {
        var session = live([:])
        let forever = Refusal(.rate, "later", retry: .after(.milliseconds(UInt32.max)))
        let kept = Refusal(.rate, "later", retry: .after(Limits.longestWait))
        #expect(Limits.longestWait == .seconds(15 * 60))
        _ = session.ask(.revoke(digest(7)))
        #expect(
            session.received(Message.refused(RequestNumber(1), forever).bytes, at: 300) == [
                .answered(.revoke(digest(7)), kept)
            ])
        #expect(session.received(Message.error(forever).bytes, at: 300) == [.close(.refused(kept))])

        session = self.session([replicaA: 2])
        open(&session, welcome([:]))
        _ = session.returned(vector([replicaA: 2]), at: 200)
        _ = session.reauthored(vector([replicaA: 2]))
        _ = session.loaded(replicaA, try segment(Array(mine[..<2])))
        let stop = Ack.Stop(code: .groupFull, after: .milliseconds(UInt32.max))
        let ack = Message.ack(Ack(replica: replicaA, head: .empty, stop: stop))
        #expect(
            session.received(ack.bytes, at: 300)
                == [.stopped(replicaA, Ack.Stop(code: .groupFull, after: Limits.longestWait))])
    }
}
