import FocusCore
import FocusSync
import TestSupport

/// Fills a group's log with segments that are each as long as a frame allows.
struct LogFiller {
    let member: HostileMember
    var random: SeededGenerator
    private(set) var replicas: [ReplicaID] = []
    /// The number of events in each replica of `replicas`.
    static let events = Limits.packed / (Segment.eventHeaderLength + Forger.leastBody)

    /// Uploads `rows` replicas, each with one full segment, which the server stores as a row. Stops if the
    /// server refuses one.
    mutating func fill(_ rows: Int, within bounds: AttackBounds) throws {
        try member.withConnection(within: bounds) { connection, welcome in
            for _ in 0..<rows {
                var forger = Forger(as: member, stamp: welcome.latest, seed: random.next())
                try connection.send(.upload(forger.write(LogFiller.events)), within: bounds)
                guard try connection.ack(within: bounds).stop == nil else { break }
                replicas.append(forger.replica)
            }
        }
    }
}

extension LogFiller {
    /// Sends the records of `count` made-up epochs, each with a body of `length` bytes.
    mutating func fillEpochs(_ count: Int, of length: Int, within bounds: AttackBounds) throws {
        try member.withConnection(within: bounds) { connection, _ in
            for _ in 0..<count {
                let record = EpochRecord(
                    epoch: EpochID(rawValue: random.next()), predecessor: member.epoch,
                    body: random.bytes(length))
                try connection.sendRequest(.epoch(record), within: bounds)
            }
            try connection.waitUntilHandled(revoking: random.digest(), within: bounds)
        }
    }
}

/// Asks for the chains of random events of a log, with as many questions in a message as the protocol allows.
struct ChainAssault: Assault {
    let member: HostileMember
    /// The number of full segments that the log has before the attack.
    let rows: Int
    var filler: LogFiller
    var random: SeededGenerator

    mutating func prepare(within bounds: AttackBounds) throws { try filler.fill(rows, within: bounds) }

    mutating func run(within bounds: AttackBounds) throws {
        try member.flood(within: bounds) { connection in
            guard let replica = filler.replicas.randomElement(using: &random) else {
                throw AttackEnd.silence("an ack of a full segment")
            }
            let seqs = (0..<Limits.probes).map { _ in
                UInt64.random(in: 1...UInt64(LogFiller.events), using: &random)
            }
            try connection.send(.chainsAsked(replica, at: seqs), within: bounds)
        }
    }
}
