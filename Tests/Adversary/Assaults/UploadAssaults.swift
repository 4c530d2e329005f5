import FocusCore
import FocusSync
import TestSupport

/// Uploads the same event again and again. The event is below the replica's head, inside a full segment that
/// the server has stored.
struct DuplicateAssault: Assault {
    let member: HostileMember
    let seed: UInt64
    var duplicate: Segment?

    mutating func prepare(within bounds: AttackBounds) throws {
        duplicate = try member.withConnection(within: bounds) { connection, welcome in
            var forger = Forger(as: member, stamp: welcome.latest, seed: seed)
            let most = Limits.packed / (Segment.eventHeaderLength + Forger.leastBody)
            let before = try forger.write(most - 2)
            let duplicate = try forger.write(1)
            let after = try forger.write(1)
            let row = try Segment(
                replica: forger.replica, firstSeq: 1, chainBefore: .empty,
                packed: before.packed + duplicate.packed + after.packed)
            try connection.send(.upload(row), within: bounds)
            guard try connection.ack(within: bounds).head.seq == after.lastSeq else {
                throw AttackEnd.silence("a row that is taken")
            }
            return duplicate
        }
    }

    mutating func run(within bounds: AttackBounds) throws {
        guard let frame = duplicate.map({ Message.upload($0).encoded() }) else { return }
        try member.flood(within: bounds) { try $0.send(frame, within: bounds) }
    }
}

/// Uploads replica after replica with one event each.
///
/// If the member reconnects meanwhile, it first lists many keys in the roster, so that each welcome is long.
struct ReplicaAssault: Assault {
    let member: HostileMember
    /// The number of uploads after which the member reconnects; nil if it stays connected.
    let reconnectsAfter: Int?
    /// The number of made-up keys that are listed.
    private static let listed = 2_000
    var random: SeededGenerator

    mutating func prepare(within bounds: AttackBounds) throws {
        guard reconnectsAfter != nil else { return }
        let roster = try (0..<ReplicaAssault.listed).map { _ in
            RosterEntry(device: try random.digest(), isRevoked: true)
        }
        let key = try random.digest()
        try member.withConnection(within: bounds) { connection, _ in
            try connection.sendRoster(roster, within: bounds)
            try connection.waitUntilHandled(revoking: key, within: bounds)
        }
    }

    mutating func run(within bounds: AttackBounds) throws {
        try member.withConnection(within: bounds) { connection, welcome in
            connection.discardMessages()
            for _ in 0..<(reconnectsAfter ?? .max) {
                var forger = Forger(as: member, stamp: welcome.latest, seed: random.next())
                try bounds.countMessage()
                try connection.send(.upload(forger.write(1)), within: bounds)
            }
        }
    }
}

/// Stamps each event as far ahead of the previous one as the server accepts.
struct StampAssault: Assault {
    let member: HostileMember
    var random: SeededGenerator
    /// The greatest accepted lead of a stamp (2 minutes), less a margin for clock errors, in milliseconds.
    private static let step: Int64 = 119_000

    mutating func run(within bounds: AttackBounds) throws {
        try member.withConnection(within: bounds) { connection, welcome in
            var forger = Forger(as: member, stamp: welcome.latest, seed: random.next())
            repeat {
                try bounds.countMessage()
                try connection.send(.upload(forger.write(1, ahead: StampAssault.step)), within: bounds)
                // A refusal ends this round. The next call of `run` begins a new replica at the log's latest
                // stamp.
            } while try connection.ack(within: bounds).stop == nil
        }
    }
}
