import FocusCore
import FocusSync
import TestSupport

/// Returns a message of each kind and shape, with a name for the golden file.
func messageSamples() throws -> [(name: String, message: Message)] {
    let vector = VersionVector([
        replicaA: Head(seq: 3, chain: Chain(high: 1, low: 2)),
        replicaB: Head(seq: 300, chain: Chain(high: 3, low: 4)),
    ])
    let answer = ClockAnswer(asked: 1_000_000, served: .init(received: 5_000_000, sent: 5_000_001))
    let segment = try segment(makeEvents(replicaA, 2))
    let presence = [Presence(device: digest(0xD1), isConnected: true, lastSeen: 1_763_661_600_000)]
    return [
        ("hello", .hello(Hello(versions: [.one], purpose: .sync, sent: 1_000_000, program: "focus 1.0"))),
        ("hello, to enrol", .hello(Hello(versions: [.one], purpose: .enrol, sent: -1, program: ""))),
        (
            "greeting",
            .greeting(Greeting(versions: [.one], chosen: .one, clock: answer, program: "focusd 1.0"))
        ),
        ("enrol, to join", .enrol(Enrol(token: [1, 2, 3], kind: .join))),
        ("enrol, with a group", .enrol(Enrol(token: [1, 2, 3], kind: .bring(group, firstEpoch)))),
        ("enrolled", .enrolled(Enrolled(group: group, bundle: [4, 5]))),
        (
            "welcome",
            .welcome(
                Welcome(
                    group: group, vector: vector, latest: Stamp(rawValue: 0x0102_0304_0506_0708),
                    roster: [RosterEntry(device: digest(0xD1), isRevoked: true)], epochs: [firstEpoch],
                    presence: presence, nextServerKey: digest(0x5E),
                    addresses: ["focus.example.org", "192.0.2.7:7900"]))
        ),
        (
            "welcome, of an empty group",
            .welcome(
                Welcome(
                    group: group, vector: VersionVector(), latest: .zero, roster: [], epochs: [],
                    presence: [],
                    nextServerKey: nil))
        ),
        ("have", .have(Have(vector: vector, epochs: [firstEpoch]))),
        ("want", .want(replicaA, after: 128)),
        ("upload", .upload(segment)),
        ("ack", .ack(Ack(replica: replicaA, head: Head(seq: 2, chain: Chain(high: 1, low: 2)), stop: nil))),
        (
            "ack, stopped",
            .ack(Ack(replica: replicaA, head: .empty, stop: .init(code: .clockNotSure, after: 60_000)))
        ),
        ("push", .push(segment)),
        ("chains asked", .chainsAsked(replicaA, at: [1, 200])),
        ("chains", .chains(replicaA, [Head(seq: 200, chain: Chain(high: 5, low: 6))])),
        ("ping", .ping(sent: 1_000_000)),
        ("pong", .pong(answer)),
        ("pong, clock not sure", .pong(ClockAnswer(asked: 1_000_000, served: nil))),
        (
            "create invite",
            numbered(
                1,
                .createInvite(InviteRequest(tokenHash: digest(0x70), bundle: [6, 7], lifetime: 900_000)))
        ),
        ("done", .done(RequestNumber(1))),
        ("revoke", numbered(2, .revoke(digest(0xD2)))),
        ("revoked", .revoked(digest(0xD2))),
        ("refused", .refused(RequestNumber(300), Refusal(.notAllowed, "not yours"))),
        ("presence", .presence(presence)),
        ("roster", numbered(3, .roster([RosterEntry(device: digest(0xD2), isRevoked: false)]))),
        ("epoch, the first", .epoch(EpochRecord(epoch: firstEpoch, predecessor: nil, body: [8]))),
        (
            "epoch, with a predecessor",
            .epoch(EpochRecord(epoch: EpochID(rawValue: 0xF), predecessor: firstEpoch, body: []))
        ),
        (
            "successor",
            numbered(
                4,
                .successor(
                    EpochRecord(epoch: EpochID(rawValue: 0xF), predecessor: firstEpoch, body: [8]),
                    discounting: [EpochID(rawValue: 0x10)]))
        ),
        (
            "keep epoch",
            numbered(5, .epoch(EpochRecord(epoch: firstEpoch, predecessor: nil, body: [8])))
        ),
        ("error", .error(Refusal(.busy, "later", retry: .after(5_000)))),
        ("error, of the version", .error(Refusal(.version, "no common version", versions: [.one]))),
        ("bye", .bye),
    ]
}
