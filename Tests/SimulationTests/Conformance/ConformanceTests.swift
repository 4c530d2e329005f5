import FocusCore
import FocusSync
import TestSupport
import TestTraits
import Testing

@testable import Simulation

private let replica = ReplicaID(rawValue: 0xA)
private let other = ReplicaID(rawValue: 0xB)
private let first = EpochID(rawValue: 0xE1)
private let second = EpochID(rawValue: 0xE2)
private let device = Digest(InlineArray(repeating: 7))
private let served = ClockAnswer.Served(received: 1_000, sent: 1_000)

/// Returns `count` events of a replica, from seq `from` on.
private func segment(_ replica: ReplicaID, from: UInt64, _ count: Int = 1) throws -> Segment {
    let events = (0..<count).map { index in
        let seq = from + UInt64(index)
        return SealedEvent(
            id: EventID(replica: replica, seq: seq), stamp: Stamp(rawValue: seq << 16), epoch: first,
            body: [UInt8](repeating: 1, count: 80))
    }
    return try #require(Segment(events, chainBefore: Chain(high: from, low: 1)))
}

private func vector(_ seqs: [ReplicaID: UInt64]) -> VersionVector {
    VersionVector(seqs.mapValues { Head(seq: $0, chain: Chain(high: $0, low: 1)) })
}

private func record(_ epoch: EpochID) -> Message {
    .epoch(EpochRecord(epoch: epoch, predecessor: first, body: [1]))
}

private func ack(_ replica: ReplicaID, _ seq: UInt64, _ code: RefusalCode? = nil, after: Duration? = nil)
    -> Message
{
    let stop = code.map { Ack.Stop(code: $0, after: after) }
    return .ack(Ack(replica: replica, head: Head(seq: seq, chain: Chain(high: seq, low: 1)), stop: stop))
}

private let hello = Message.hello(Hello(versions: [.one], purpose: .sync, sent: 7, program: "focus"))
private let greeting = Message.greeting(
    Greeting(
        versions: [.one], chosen: .one, clock: ClockAnswer(asked: 7, served: served), program: "focusd"))

/// The server has three events of `replica`, the record of `first`, and a device.
private let welcome = Message.welcome(
    Welcome(
        group: GroupID(high: 1, low: 2), vector: vector([replica: 3]), latest: .zero,
        roster: [RosterEntry(device: device, isRevoked: false)], epochs: [first],
        presence: [Presence(device: device, isConnected: true, lastSeen: 5)], nextServerKey: nil))

@Suite("What is said on connections, held against the protocol", .ends(within: .seconds(600)))
struct ConformanceTests {
    /// A message that one of the two sides sends.
    enum Step {
        case client(Message)
        case server(Message)
    }

    /// The opening of a connection by a client that has `seq` events of `replica`.
    static func opening(client seq: UInt64) -> [Step] {
        [
            .client(hello), .server(greeting), .server(welcome),
            .client(.have(Have(vector: vector([replica: seq]), epochs: [first]))),
        ]
    }

    /// Returns the breaches of the protocol on both sides. The client's log ends at `seq`.
    private func breaches(_ steps: [Step], log seq: UInt64, at times: [Int: Int64] = [:]) -> [String] {
        var client = ClientConformance()
        var server = ServerConformance()
        var now: Int64 = 0
        var breaches: [String] = []
        for (index, step) in steps.enumerated() {
            now = times[index] ?? now
            switch step {
            case .client(let message):
                if let breach = client.sends(message, at: now, log: { $0 == replica ? seq : 0 }) {
                    breaches.append(breach)
                }
                server.receives(message)
            case .server(let message):
                if let breach = server.sends(message, at: now) { breaches.append(breach) }
                client.receives(message, at: now)
            }
        }
        return breaches
    }

    @Test("a whole connection is right") func whole() throws {
        let steps: [Step] =
            ConformanceTests.opening(client: 5) + [
                .client(record(second)), .client(.chainsAsked(replica, at: [3, 4])),
                .server(.chains(replica, [Head(seq: 3, chain: .empty)])),
                .client(.upload(try segment(replica, from: 4, 2))),
                .client(.upload(try segment(other, from: 1, 3))), .server(ack(replica, 5)),
                .server(ack(other, 0, .rate, after: 1_000)), .server(.push(try segment(replica, from: 6))),
                .client(.ping(sent: 8)), .server(.pong(ClockAnswer(asked: 8, served: served))),
                .client(.want(replica, after: 2)), .server(.push(try segment(replica, from: 3, 4))),
                .client(.revoke(device)), .server(.revoked(device)), .client(.bye), .server(.bye),
            ]
        #expect(breaches(steps, log: 5).isEmpty)
    }

    @Test("a connection that begins against the protocol is found") func beginnings() throws {
        let have = Message.have(Have())
        let wrong: [([Step], String)] = [
            ([.client(.bye)], "before the hello"),
            ([.client(hello), .client(have)], "before the greeting"),
            ([.client(hello), .server(greeting), .client(have)], "before the welcome"),
            (
                [.client(hello), .server(greeting), .server(welcome), .client(.revoke(device))],
                "before the have"
            ),
            ([.server(greeting)], "before the hello"),
            ([.client(hello), .server(welcome)], "before the greeting"),
            (
                [
                    .client(hello), .server(greeting), .server(welcome),
                    .server(.push(try segment(other, from: 1))),
                ],
                "before the have"
            ),
            ([.client(hello), .client(.bye), .client(.bye)], "after the end"),
            ([.client(hello), .server(greeting), .server(.bye), .server(.bye)], "after the end"),
        ]
        for (steps, breach) in wrong {
            let found = breaches(steps, log: 0)
            #expect(found.count == 1 && found[0].hasSuffix(breach), "\(found), not \(breach)")
        }
    }

    @Test("a client's message that breaks the protocol is found") func client() throws {
        let wrong: [(Message, String)] = [
            (.upload(try segment(replica, from: 5)), "from 5 on, not 4"),
            (.upload(try segment(replica, from: 3)), "from 3 on, not 4"),
            (.chainsAsked(replica, at: []), "no chains"),
            (.roster([RosterEntry(device: device, isRevoked: false)]), "the server knows"),
            (record(first), "the server has the record"),
            (.have(Have()), "have"),
            (.push(try segment(replica, from: 4)), "doesn't send"),
        ]
        for (message, breach) in wrong {
            let found = breaches(ConformanceTests.opening(client: 9) + [.client(message)], log: 9)
            #expect(found.count == 1 && found[0].contains(breach), "\(found), not \(breach)")
        }
        let early = breaches(
            ConformanceTests.opening(client: 2) + [.client(.upload(try segment(other, from: 1)))], log: 2)
        #expect(early.count == 1 && early[0].hasPrefix("an upload before"))
        // The client must not upload before it has received the records that the welcome names.
        let unread: [Step] = [
            .client(hello), .server(greeting), .server(welcome),
            .client(.have(Have(vector: vector([replica: 9]), epochs: []))),
        ]
        let upload = Step.client(.upload(try segment(other, from: 1)))
        #expect(
            breaches(unread + [upload], log: 9).map { $0.hasPrefix("an upload before the record") } == [true])
        #expect(breaches(unread + [.server(record(first)), upload], log: 9).isEmpty)
    }

    @Test("an upload may begin after what the server has shown, even if a later answer names less")
    func shownBefore() throws {
        let shown: [Step] = [
            .client(.upload(try segment(replica, from: 4, 2))),
            .server(.push(try segment(replica, from: 4, 2))),
            .server(ack(replica, 3, .internal)),
        ]
        func next(_ seq: UInt64) throws -> [String] {
            let steps = ConformanceTests.opening(client: 9) + shown
            let upload = Step.client(.upload(try segment(replica, from: seq)))
            return breaches(steps + [upload], log: 9, at: [steps.count: 60_000_000]).filter {
                $0.hasPrefix("an upload of")
            }
        }
        #expect(try next(6) == [])
        #expect(try next(4).map { $0.hasSuffix("from 4 on, not 6") } == [true])
    }

    @Test("a client that asks or uploads more than its limit is found") func tooMuch() throws {
        let opening = ConformanceTests.opening(client: 9)
        let twice = Message.chainsAsked(replica, at: [3])
        #expect(breaches(opening + [.client(twice), .client(twice)], log: 9).count == 1)
        let pings = opening + [.client(.ping(sent: 1)), .client(.ping(sent: 2))]
        #expect(breaches(pings, log: 9, at: [5: (Limits.ping / 2).inMicroseconds]).count == 1)
        #expect(breaches(pings, log: 9, at: [5: Limits.ping.inMicroseconds]).isEmpty)
        // The client is refused for ten seconds. It tries again before this time is over, and after it.
        let again =
            opening + [
                .client(.upload(try segment(replica, from: 4))),
                .server(ack(replica, 3, .rate, after: 10_000)),
                .client(.upload(try segment(replica, from: 4))),
            ]
        #expect(breaches(again, log: 9, at: [6: 5_000_000]).count == 1)
        #expect(breaches(again, log: 9, at: [6: 10_000_000]).isEmpty)
        var full = opening
        for index in 0...Limits.uploadWindow / (1_000 * 96) + 1 {
            full.append(.client(.upload(try segment(other, from: UInt64(1 + index * 1_000), 1_000))))
        }
        #expect(breaches(full, log: 9).contains { $0.hasSuffix("bytes unanswered") })
    }

    @Test("a server's message that breaks the protocol is found") func server() throws {
        let upload = Step.client(.upload(try segment(replica, from: 4, 2)))
        let asked = Step.client(.chainsAsked(replica, at: [3]))
        let wrong: [([Step], String)] = [
            ([.server(.push(try segment(other, from: 2)))], "from 2 on, not 1"),
            ([.server(ack(replica, 3))], "without an upload"),
            ([upload, .server(ack(replica, 4))], "through 4 of 5"),
            ([upload, .server(ack(replica, 3, .gap))], "no gap"),
            ([upload, .server(ack(replica, 3, .rate))], "without a time"),
            ([upload, .server(ack(replica, 5, .groupFull))], "stopped through 5"),
            ([.server(.chains(replica, []))], "weren't asked"),
            ([asked, .server(.chains(other, []))], "not"),
            ([asked, .server(.chains(replica, [Head(seq: 4, chain: .empty)]))], "which wasn't asked for"),
            ([.server(.pong(ClockAnswer(asked: 8, served: nil)))], "without a ping"),
            ([.client(.ping(sent: 9)), .server(.pong(ClockAnswer(asked: 8, served: nil)))], "a pong for"),
            (
                [.server(.presence([Presence(device: device, isConnected: true, lastSeen: 5)]))],
                "which hasn't changed"
            ), ([.server(record(first))], "which the client has"),
            ([.server(.inviteCreated(device))], "wasn't asked"),
            ([.server(.want(replica, after: 1))], "doesn't send"),
        ]
        for (steps, breach) in wrong {
            let found = breaches(ConformanceTests.opening(client: 9) + steps, log: 9)
            #expect(found.count == 1 && found[0].contains(breach), "\(found), not \(breach)")
        }
    }

    @Test("a server may repeat what the client asked for again, or what crossed a message of the client")
    func again()
        throws
    {
        let given = ConformanceTests.opening(client: 9) + [.client(record(second)), .server(record(second))]
        #expect(breaches(given, log: 9).isEmpty)
        #expect(breaches(given + [.server(record(second))], log: 9).count == 1)
        let wanted =
            ConformanceTests.opening(client: 9) + [
                .client(.upload(try segment(replica, from: 4, 2))), .client(.want(replica, after: 3)),
                .server(ack(replica, 5)), .server(.push(try segment(replica, from: 4, 2))),
            ]
        #expect(breaches(wanted, log: 9).isEmpty)
        // A client that proposes a second successor is sent the records of the earlier successors, also the
        // records that it knows.
        let proposal = EpochRecord(epoch: second, predecessor: first, body: [1])
        let late =
            ConformanceTests.opening(client: 9) + [
                .client(.successor(proposal, discounting: [])), .server(record(first)),
            ]
        #expect(breaches(late, log: 9).isEmpty)
        #expect(breaches(late + [.server(record(first))], log: 9).count == 1)
        // If a batch fails, nothing of it is stored.
        let failed =
            ConformanceTests.opening(client: 9) + [
                .client(.upload(try segment(replica, from: 4, 2))), .server(ack(replica, 5, .noRoom)),
            ]
        #expect(breaches(failed, log: 9).isEmpty)
    }
}
